import { DEPLOYED_N8N, TESTED_N8N } from '../support/versions.js';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const folder = join(root, '.github');
const read = (...path: string[]) => parse(readFileSync(join(folder, ...path), 'utf8')) as unknown;

interface Workflow {
  on: object;
  permissions: object;
  jobs: Record<
    string,
    {
      'timeout-minutes': number;
      needs?: string | string[];
      permissions?: Record<string, string>;
      steps: { uses?: string; run?: string; with?: Record<string, unknown> }[];
    }
  >;
}
const workflows = readdirSync(join(folder, 'workflows')).map((name): [string, Workflow] => [
  name,
  read('workflows', name) as Workflow,
]);

const targets = [...readFileSync(join(root, 'Makefile'), 'utf8').matchAll(/^([a-z-]+):/gm)].map(([, name]) => name);

test.each(workflows)(
  '%s: its jobs have time-outs, wait for existing jobs, and may only read unless they declare more',
  (_, workflow) => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(workflow.jobs)) {
      expect(job['timeout-minutes']).toBeGreaterThan(0);
      for (const needed of [job.needs ?? []].flat()) expect(Object.keys(workflow.jobs)).toContain(needed);
    }
  },
);

test.each(workflows)('%s: it uses only existing make targets and files', (_, { jobs }) => {
  const lines = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  const made = lines.flatMap((run) => [...run.matchAll(/\bmake ([a-z-]+)/g)].map(([, target]) => target));
  for (const target of made) expect(targets).toContain(target);
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  for (const run of lines)
    for (const [, file] of run.matchAll(/\bnode ([\w/.-]+\.m?js)/g)) expect(tracked).toContain(file);
});

test.each(workflows)('%s: no command contains a text of the event, which could inject code', (_, { jobs }) => {
  for (const { steps } of Object.values(jobs)) for (const { run = '' } of steps) expect(run).not.toContain('${{');
});

test.each(workflows)('%s: no checkout persists credentials', (_, { jobs }) => {
  const checkouts = Object.values(jobs).flatMap(({ steps }) =>
    steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')),
  );
  for (const step of checkouts) expect(step.with).toMatchObject({ 'persist-credentials': false });
});

/** Commands that run third-party code: packages, and builds from packages. */
const OTHERS = /\b(make|npx|npm (ci|run|exec|install(?! --global --ignore-scripts npm@\d+\.\d+\.\d+\n)))\b/;

test.each(workflows)('%s: a job with write permissions runs no third-party code', (_, { jobs }) => {
  const writing = Object.values(jobs).filter(({ permissions = {} }) => Object.values(permissions).includes('write'));
  for (const { steps } of writing) for (const { run = '' } of steps) expect(run).not.toMatch(OTHERS);
});

test.each(workflows)('%s: every action is pinned by its commit, with its version beside it', (name) => {
  const used = readFileSync(join(folder, 'workflows', name), 'utf8').match(/^.*\buses:.*$/gm) ?? [];
  for (const line of used) expect(line).toMatch(/uses: [\w.-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('all workflows use the same version of an action', () => {
  const texts = workflows.map(([name]) => readFileSync(join(folder, 'workflows', name), 'utf8')).join('\n');
  const used = new Set([...texts.matchAll(/uses: (\S+ # \S+)$/gm)].map(([, action]) => action!));
  const repositories = [...used].map((action) => action.split('@')[0]);
  expect(repositories.length).toBe(new Set(repositories).size);
});

const labels = read('labels.json') as { name: string; color: string; description: string }[];

test('the labels of the issue forms are among those of the repository', () => {
  const forms = readdirSync(join(folder, 'ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml');
  const wanted = forms.flatMap((name) => (read('ISSUE_TEMPLATE', name) as { labels: string[] }).labels);
  expect(labels.map(({ name }) => name)).toEqual(expect.arrayContaining(wanted));
  for (const { color, description } of labels) {
    expect(color).toMatch(/^[0-9a-f]{6}$/);
    // The limit of GitHub.
    expect(description.length).toBeLessThanOrEqual(100);
  }
});

describe('a new n8n', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'n8n-version-'));
  afterAll(() => rmSync(scratch, { recursive: true }));
  const files = ['charts/n8n-tuned/Chart.yaml', 'charts/n8n-tuned/values.yaml', 'runtimes/n8n-2/package.json'];
  for (const file of files) cpSync(join(root, file), join(scratch, file), { recursive: true });
  const set = (...versions: string[]) =>
    spawnSync(process.execPath, [join(root, 'scripts/n8n-version.mjs'), ...versions, `${scratch}/`], {
      encoding: 'utf8',
    });
  const all = () => files.map((file) => readFileSync(join(scratch, file), 'utf8')).join('\n');

  test('both versions replace the earlier versions everywhere, and nothing else changes', () => {
    const text = all();
    expect(set('2.98.5', '2.98.3')).toMatchObject({ status: 0, stdout: `${DEPLOYED_N8N}\n` });
    const [deployed, run] = [/\b2\.98\.5\b/g, /\b2\.98\.3\b/g];
    expect(all()).toContain('2.98.5 (read: the tests run 2.98.3)');
    expect(all().match(deployed)).toHaveLength(4);
    expect(all().match(run)).toHaveLength(3);
    expect(set(DEPLOYED_N8N, TESTED_N8N)).toMatchObject({ status: 0, stdout: '2.98.5\n' });
    expect(all()).toBe(text);
  });

  test('the same version is deployed and tested', () => {
    expect(set('2.99.1')).toMatchObject({ status: 0 });
    expect(all()).toContain('2.99.1 (run)');
    expect(
      (JSON.parse(readFileSync(join(scratch, files[2]!), 'utf8')) as { dependencies: object }).dependencies,
    ).toMatchObject({
      n8n: '2.99.1',
    });
  });

  test.each([[''], ['3.0.0'], ['latest'], ['2.42'], ['2.42.1', '2.41.1'], ['2.42.1', '2.42.2'], ['2.42.1', '1.42.1']])(
    '%j is refused',
    (...versions) => {
      const text = all();
      expect(set(...versions)).toMatchObject({ status: 1, stdout: '' });
      expect(all()).toBe(text);
    },
  );
});

describe('the notes of a release', () => {
  const notes = (version: string, changelog?: string) =>
    spawnSync(process.execPath, [join(root, 'scripts/release-notes.mjs'), version], {
      encoding: 'utf8',
      env: { ...process.env, ...(changelog && { CHANGELOG: changelog }) },
    });
  const scratch = mkdtempSync(join(tmpdir(), 'changelog-'));
  const changelog = join(scratch, 'CHANGELOG.md');
  writeFileSync(
    changelog,
    '# Changelog\n\n## Unreleased\n\n- c\n\n## 0.2.0 (2026-12-01)\n\n- b\n  more\n\n## 0.2\n\n- a\n',
  );
  afterAll(() => rmSync(scratch, { recursive: true }));

  test('are the section of the changelog for its version', () => {
    expect(notes('0.2.0', changelog)).toMatchObject({ status: 0, stdout: '- b\n  more\n' });
    expect(notes('0.2', changelog)).toMatchObject({ status: 0, stdout: '- a\n' });
  });

  test('are refused for a version that is not in the changelog', () => {
    expect(notes('0.3.0', changelog)).toMatchObject({ status: 1, stdout: '' });
    expect(notes('', changelog)).toMatchObject({ status: 1, stdout: '' });
  });

  test('exist in the changelog of this repository', () => {
    const [, newest] = /^## (\S+)/m.exec(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))!;
    expect(notes(newest!).stdout).toMatch(/^- /);
  });
});

test('Dependabot watches existing folders', () => {
  const { updates } = read('dependabot.yml') as { updates: { directory?: string; directories?: string[] }[] };
  const folders = updates.flatMap(({ directory, directories = [] }) => [
    ...(directory ? [directory] : []),
    ...directories,
  ]);
  for (const each of folders) expect(readdirSync(join(root, each)).length).toBeGreaterThan(0);
});

test('all released parts have the same version', () => {
  const json = (path: string) => (JSON.parse(readFileSync(join(root, path), 'utf8')) as { version: string }).version;
  const chart = (parse(readFileSync(join(root, 'charts/n8n-tuned/Chart.yaml'), 'utf8')) as { version: string }).version;
  expect(json('capacity/package.json')).toBe(json('package.json'));
  expect(chart).toBe(json('package.json'));
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  for (const path of ['', 'capacity']) expect(lock.packages[path]!.version).toBe(json('package.json'));
});
