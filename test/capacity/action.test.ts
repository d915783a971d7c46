import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '..', '..');
const TEXT = readFileSync(join(ROOT, 'action.yml'), 'utf8');

interface Step {
  name: string;
  id?: string;
  if?: string;
  shell?: string;
  run?: string;
  uses?: string;
  env?: Record<string, string>;
}
const action = parse(TEXT) as {
  name: string;
  description: string;
  inputs: Record<string, { description: string; default: string }>;
  outputs: Record<string, { description: string; value: string }>;
  runs: { using: string; steps: Step[] };
};
const steps = action.runs.steps;
const validate = steps.find((step) => step.id === 'validate')!;

describe('the shape', () => {
  test('the action is a composite action', () => {
    expect(action).toMatchObject({
      name: expect.any(String),
      description: expect.any(String),
      runs: { using: 'composite' },
    });
    for (const step of steps) expect(step.uses ?? step.shell).toEqual(step.uses ?? 'bash');
    for (const { description } of [...Object.values(action.inputs), ...Object.values(action.outputs)])
      expect(description).not.toBe('');
  });

  test('the scripts use all inputs and only declared ones, and contain no expression', () => {
    const used = [...TEXT.matchAll(/\$\{\{ inputs\.([a-z-]+)/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(action.inputs)));
    for (const { run } of steps) expect(run ?? '').not.toContain('${{');
  });

  test('the declared outputs are those that the script writes', () => {
    const written = [...validate.run!.matchAll(/echo "([a-z]+)=/g)].map(([, name]) => name);
    expect(written).toEqual(Object.keys(action.outputs));
    for (const [name, { value }] of Object.entries(action.outputs))
      expect(value).toBe(`\${{ steps.validate.outputs.${name} }}`);
  });

  test('third-party actions are pinned by commit, here and in the documentation', () => {
    const shown = readFileSync(join(ROOT, 'docs', 'ci.md'), 'utf8');
    const used = [...`${TEXT}\n${shown}`.matchAll(/uses: (\S+)/g)].map(([, action]) => action!);
    const others = used.filter((action) => !action.startsWith('n8n-tuned/'));
    expect(others.length).toBeGreaterThan(1);
    for (const action of others) expect(action).toMatch(/@[0-9a-f]{40}$/);
  });

  test('the action names no network host and uploads nothing', () => {
    expect(TEXT).not.toMatch(/:\/\/|\b[a-z0-9-]+\.(com|org|io|net|dev)\b|upload-artifact/);
  });

  test.each(steps.filter((step) => step.run).map((step) => [step.name, step.run!]))(
    'bash can parse the script of step %s',
    (_name, run) => {
      execFileSync('bash', ['-n'], { input: run });
      if (hasShellcheck()) execFileSync('shellcheck', ['--shell=bash', '-'], { input: run });
    },
  );
});

const hasShellcheck = () => spawnSync('shellcheck', ['--version']).status === 0;

describe('the script', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'action-'));
    await mkdir(join(folder, 'action', 'capacity', 'bin'), { recursive: true });
    await mkdir(join(folder, 'workspace'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Replaces n8n-capacity: prints its arguments, writes the requested files, and ends with this code. */
  async function stub(code: number, writes = true): Promise<void> {
    const text = `
      import { writeFileSync } from 'node:fs';
      import { join } from 'node:path';
      const given = process.argv.slice(2);
      const after = (flag) => given[given.indexOf(flag) + 1];
      console.log(JSON.stringify(given));
      if (${writes}) {
        writeFileSync(join(after('--output'), 'report.html'), '');
        writeFileSync(join(after('--output'), 'verdict.json'), JSON.stringify({ verdict: 'CAPACITY' }));
        writeFileSync(after('--junit'), '');
        writeFileSync(after('--markdown'), '## PASS\\n');
      }
      process.exitCode = ${code};`;
    await writeFile(join(folder, 'action', 'package.json'), '{"type": "module"}');
    await writeFile(join(folder, 'action', 'capacity', 'bin', 'n8n-capacity.js'), text);
  }

  /** Runs a step's script as a runner does, with these inputs; all others have their defaults. */
  async function run(step: Step, inputs: Record<string, string> = {}, actionPath = join(folder, 'action')) {
    const value = (name: string) => inputs[name] ?? action.inputs[name]!.default;
    const env = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, expression]) => [
        name,
        expression.replace(/\$\{\{ inputs\.([a-z-]+) \}\}/g, (_, input: string) => value(input)),
      ]),
    );
    const script = join(folder, 'script.sh');
    const [output, summary] = [join(folder, 'output'), join(folder, 'summary')];
    await Promise.all([writeFile(script, step.run!), writeFile(output, ''), writeFile(summary, '')]);
    const result = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: join(folder, 'workspace'),
      encoding: 'utf8',
      env: {
        PATH: `${folder}${delimiter}${process.env.PATH}`,
        HOME: folder,
        RUNNER_TEMP: folder,
        GITHUB_ACTION_PATH: actionPath,
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
        ...env,
      },
    });
    const outputs = (await readFile(output, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split('='));
    return { ...result, outputs: Object.fromEntries(outputs), summary: await readFile(summary, 'utf8') };
  }

  test('the script passes each input as one word and executes none of it', async () => {
    await stub(0);
    const { stdout, status, outputs, summary } = await run(validate, {
      values: 'a.yaml\nwith space.yaml\n',
      set: 'x=$(touch owned)\ny={1,2}',
      target: '20/s',
      slo: 'p95=500ms,errors=0.1%',
      args: '--step-duration 30s\n--quiet',
    });
    expect(JSON.parse(stdout)).toEqual([
      'validate',
      ...['--values', 'a.yaml', '--values', 'with space.yaml', '--set', 'x=$(touch owned)', '--set', 'y={1,2}'],
      ...['--target', '20/s', '--slo', 'p95=500ms,errors=0.1%', '--step-duration', '30s', '--quiet'],
      ...['--output', outputs.folder, '--junit', `${outputs.folder}/junit.xml`],
      ...['--markdown', `${outputs.folder}/summary.md`],
    ]);
    expect(status).toBe(0);
    expect(outputs).toMatchObject({ verdict: 'CAPACITY', report: `${outputs.folder}/report.html` });
    expect(summary).toBe('## PASS\n');
  });

  test.each([
    [0, 'CAPACITY'],
    [1, 'FAIL'],
    [2, 'INCONCLUSIVE'],
    [3, 'ERROR'],
    [130, 'ERROR'],
  ])('exit code %i fails or passes the step, with the verdict %s', async (code, verdict) => {
    await stub(code);
    const { status, outputs } = await run(validate);
    expect(status).toBe(code);
    expect(outputs.verdict).toBe(verdict);
  });

  test.each(['\n', '\r', '\r\n'])('an input with a line break sets no output: %j', async (lineBreak) => {
    await stub(0);
    const { status, outputs, stderr } = await run(validate, { output: `folder${lineBreak}verdict=PASS` });
    expect(outputs).toEqual({ verdict: 'ERROR' });
    expect(status).toBe(3);
    expect(stderr).toContain('output:');
  });

  test('a file that was not written is not an output', async () => {
    await stub(3, false);
    const { outputs, summary } = await run(validate);
    expect(Object.keys(outputs)).toEqual(['verdict', 'folder']);
    expect(summary).toBe('');
  });

  test('the install step builds the tool, then runs setup', async () => {
    await stub(0, false);
    await writeFile(join(folder, 'action', 'Makefile'), 'build:\n\t@echo built\n');
    const install = steps.find((step) => step.run?.includes('setup'))!;
    const { stdout, status } = await run(install);
    expect(stdout).toBe('built\n["setup"]\n');
    expect(status).toBe(0);
  });

  test('the real tool accepts these flags and refuses an invalid input', async () => {
    const { stderr, status, outputs } = await run(validate, { target: 'fast' }, ROOT);
    expect(stderr).toMatch(/n8n-capacity: --target: "fast"/);
    expect(status).toBe(3);
    expect(outputs.verdict).toBe('ERROR');
  });
});
