import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
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
    { 'timeout-minutes': number; needs?: string | string[]; steps: { uses?: string; run?: string }[] }
  >;
}
const workflows = readdirSync(join(folder, 'workflows')).map((name): [string, Workflow] => [
  name,
  read('workflows', name) as Workflow,
]);

const targets = [...readFileSync(join(root, 'Makefile'), 'utf8').matchAll(/^([a-z-]+):/gm)].map(([, name]) => name);

test.each(workflows)(
  '%s: its jobs end, wait for jobs that exist, and may only read unless they say more',
  (_, workflow) => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(workflow.jobs)) {
      expect(job['timeout-minutes']).toBeGreaterThan(0);
      for (const needed of [job.needs ?? []].flat()) expect(Object.keys(workflow.jobs)).toContain(needed);
    }
  },
);

test.each(workflows)('%s: it makes only targets of the Makefile, and runs files that exist', (_, { jobs }) => {
  const lines = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  const made = lines.flatMap((run) => [...run.matchAll(/\bmake ([a-z-]+)/g)].map(([, target]) => target));
  for (const target of made) expect(targets).toContain(target);
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  for (const run of lines)
    for (const [, file] of run.matchAll(/\bnode ([\w/.-]+\.js)/g)) expect(tracked).toContain(file);
});

test.each(workflows)('%s: no command has a text of the event in it, which could be code', (_, { jobs }) => {
  for (const { steps } of Object.values(jobs)) for (const { run = '' } of steps) expect(run).not.toContain('${{');
});

test('Dependabot looks at folders that exist', () => {
  const { updates } = read('dependabot.yml') as { updates: { directory?: string; directories?: string[] }[] };
  const folders = updates.flatMap(({ directory, directories = [] }) => [
    ...(directory ? [directory] : []),
    ...directories,
  ]);
  for (const each of folders) expect(readdirSync(join(root, each)).length).toBeGreaterThan(0);
});

test('everything that is released has one version', () => {
  const json = (path: string) => (JSON.parse(readFileSync(join(root, path), 'utf8')) as { version: string }).version;
  const chart = (parse(readFileSync(join(root, 'charts/n8n-tuned/Chart.yaml'), 'utf8')) as { version: string }).version;
  expect(json('capacity/package.json')).toBe(json('package.json'));
  expect(chart).toBe(json('package.json'));
});
