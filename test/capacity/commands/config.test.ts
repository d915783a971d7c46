import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Command } from 'commander';
import { withConfig } from '../../../capacity/src/commands/config.js';
import { commandNamed } from '../../support/program.js';
import { UsageError } from '../../../capacity/src/core/errors.js';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'n8n-capacity.yaml');
const validate = () => commandNamed('validate');

type Options = Record<string, unknown>;

/** The options that the action of a command gets, and what is told on stderr. */
async function optionsOf(text: string, args: string[], given?: Command): Promise<{ options: Options; told: string }> {
  writeFileSync(file, text);
  const command = given ?? (await validate());
  let options: Options = {};
  command.action(function (this: Command) {
    options = this.opts();
  });
  const told = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const program = withConfig(new Command('n8n-capacity').exitOverride());
    program.addCommand(command.copyInheritedSettings(program));
    if (command.name() !== 'sweep') program.addCommand(await commandNamed('sweep'));
    await program.parseAsync(['--config', file, ...args], { from: 'user' });
    return { options, told: told.mock.calls.map(([line]) => String(line)).join('') };
  } finally {
    told.mockRestore();
  }
}

const problemsOf = (text: string, args = ['validate']): Promise<readonly string[]> =>
  optionsOf(text, args).then(
    () => Promise.reject(new Error('nothing was refused')),
    (error: unknown) => {
      if (error instanceof UsageError) return error.problems;
      throw error;
    },
  );

const CONFIG = `
validate:
  profile: queue
  values: [a.yaml, b.yaml]
  set: image.tag=2.40
  target: 20/s
  headroom: 1.50
  no-overload: true
  cpu-profile: false
sweep:
  yes: true
`;

test('flags by command, in their own names, as texts', async () => {
  const { options, told } = await optionsOf(CONFIG, ['validate']);
  expect(options).toMatchObject({
    ...{ profile: 'queue', values: ['a.yaml', 'b.yaml'], set: ['image.tag=2.40'], target: '20/s', headroom: '1.50' },
    overload: false,
    warmup: '3s',
    configOrigin: { file, flags: ['profile', 'values', 'set', 'target', 'headroom', 'no-overload'] },
  });
  expect(options).not.toHaveProperty('cpuProfile');
  expect(told).toContain(`using ${file} for --profile, --values, --set, --target, --headroom, --no-overload\n`);
});

test('the command line wins: a list replaces that of the file, and is collected itself', async () => {
  const given = ['-f', 'c.yaml', '--values', 'd.yaml', '--target', '5/s', '--set', 'a=b'];
  const { options } = await optionsOf(CONFIG, ['validate', ...given]);
  expect(options).toMatchObject({
    ...{ profile: 'queue', values: ['c.yaml', 'd.yaml'], set: ['a=b'], target: '5/s' },
    configOrigin: { flags: ['profile', 'headroom', 'no-overload'] },
  });
});

test.each([
  ['a file without the command', 'sweep: {yes: true}', ['validate']],
  ['an empty file', '', ['validate']],
  ['a section without flags', 'validate:', ['validate']],
  ['--no-config', CONFIG, ['validate', '--no-config']],
])('%s gives nothing, and nothing is told', async (_, text, args) => {
  const { options, told } = await optionsOf(text, args);
  expect(options).not.toHaveProperty('configOrigin');
  expect(options).not.toHaveProperty('profile');
  expect(told).toBe('');
});

test('--quiet is respected', async () => {
  expect((await optionsOf('validate: {quiet: true, target: 5/s}', ['validate'])).told).toBe('');
});

test('a flag that must be given may be in the file', async () => {
  const command = new Command('upgrade').requiredOption('--from <version>', 'version');
  expect((await optionsOf('upgrade: {from: 2.40}', ['upgrade'], command)).options).toMatchObject({ from: '2.40' });
});

test('what a flag refuses on the command line is refused in the file', async () => {
  await expect(
    optionsOf('sweep: {provisioner: existing}', ['sweep', 'p.yaml'], await commandNamed('sweep')),
  ).rejects.toThrow('--provisioner existing');
});

test('every problem of the file is told, also of other commands', async () => {
  const problems = await problemsOf(
    [
      'vaildate: {target: 5/s}',
      'validate: {tagret: 5/s, target: [5/s], quiet: 1, set: {a: b}, help-all: true, profile: }',
      'sweep: [yes]',
    ].join('\n'),
  );
  const parts = [
    ...['"vaildate"; did you mean "validate"?', '"validate.tagret"; did you mean "target"?', 'validate.target'],
    ...['validate.quiet', 'validate.set', '"validate.help-all"', 'validate.profile', 'sweep'],
  ];
  expect(parts.filter((part) => !problems.some((problem) => problem.includes(part)))).toEqual([]);
  expect(problems).toHaveLength(parts.length);
  for (const problem of problems) expect(problem).toContain(`${file}: `);
});

test.each([
  ['a list', '- validate'],
  ['no YAML', 'validate: [1'],
])('%s is refused', async (_, text) => expect(await problemsOf(text)).toHaveLength(1));

describe('the tool itself', () => {
  const bin = join(import.meta.dirname, '../../../capacity/bin/n8n-capacity.js');
  const run = (...args: string[]) => spawnSync(process.execPath, [bin, ...args], { cwd: folder, encoding: 'utf8' });

  test('reads the file of the working folder, and a run keeps which', () => {
    writeFileSync(file, 'validate: {profile: queue, target: 5/s, workload: webhook-ack, dry-run: true, json: true}\n');
    const { status, stdout, stderr } = run('validate');
    expect({ status, stderr: stderr.split('\n')[0] }).toEqual({
      status: 0,
      stderr: 'using n8n-capacity.yaml for --profile, --workload, --target, --json, --dry-run',
    });
    expect(JSON.parse(stdout)).toMatchObject({ deployment: { mode: 'queue' }, loads: ['webhook-ack'] });
  });

  test('a file that is missing is refused, help is not', () => {
    expect(run('validate', '--config', 'nowhere.yaml')).toMatchObject({ status: 3, stdout: '' });
    writeFileSync(file, 'validate: [');
    expect(run('validate').status).toBe(3);
    expect(run('validate', '--help').status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('validate: [');
  });
});
