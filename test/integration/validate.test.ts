import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import { parse } from 'yaml';
import { chartFolder } from '../../capacity/src/core/paths.js';
import { helm } from '../support/tools.js';
import { leftovers, LENIENT, printed, runValidate, startValidate, taskRunners } from './cli.js';

jest.setTimeout(300_000);

const profile = (name: string) => ['-f', join(chartFolder, 'profiles', `${name}.yaml`)];
const SHORT = ['--step-duration', '5s', '--warmup', '2s'];

let before: string[];
beforeEach(() => void (before = leftovers()));
afterEach(() => expect(leftovers().filter((left) => !before.includes(left))).toEqual([]));

test('regular mode: n8n 2.41.1 as the chart says, two workloads, everything recorded', async () => {
  const ack = ['--workload', 'webhook-ack', '--workload', 'webhook-wait', '--query', 'seconds=1'];
  const run = await runValidate(
    ...ack,
    '--rates',
    '4/s,6/s',
    ...SHORT,
    ...LENIENT,
    '--set',
    'extraEnv[0].name=A_TOKEN,extraEnv[0].value=hunter2',
  );

  expect(run.exitCode).toBe(0);
  expect(run.conclusion.verdict).toMatchObject({ verdict: 'PASS', loads: [{ capacity: 6 }, { capacity: 6 }] });
  expect(run.run).toMatchObject({
    versions: { n8n: '2.41.1', k6: '2.2.0' },
    deployment: { mode: 'regular', process: 'main' },
  });
  expect(run.steps.map((s) => [s.load, s.rate])).toEqual([
    ['webhook-ack', 4],
    ['webhook-ack', 6],
    ['webhook-wait', 4],
    ['webhook-wait', 6],
  ]);
  for (const step of run.steps) {
    // The second count is exact: what k6 was answered is what n8n says it has completed.
    expect(step.executions!.completed).toBe(step.executions!.accepted);
    expect(step.summary.answered).toBeGreaterThanOrEqual(step.rate! * 5);
    expect(step.summary).toMatchObject({ failed: 0, dropped: 0 });
  }
  expect(Math.max(...run.samples.map((s) => s.instances[0]!.rssBytes))).toBeGreaterThan(200 * 2 ** 20);
  expect(run.samples.some((s) => (s.instances[0]!.heapUsedBytes ?? 0) > 0)).toBe(true);

  // Chart and records agree, the chart accepts what is recommended, and no secret is in what is passed around.
  const recommended = parse(readFileSync(join(run.folder, 'values.recommended.yaml'), 'utf8')) as {
    main: { heap: { n8n: number } };
  };
  expect(recommended.main.heap.n8n).toBe(run.run.deployment.instances[0]!.heapMiB);
  await execa(helm, ['template', 'n8n-tuned', chartFolder, '-f', join(run.folder, 'values.recommended.yaml')]);
  for (const name of ['run.json', 'report.html', 'verdict.json'])
    expect(readFileSync(join(run.folder, name), 'utf8')).not.toContain('hunter2');
});

test('queue mode: PostgreSQL, Redis, workers and webhook processors, driven by a mix of workloads', async () => {
  const mix = join(mkdtempSync(join(tmpdir(), 'mix-')), 'mix.yaml');
  writeFileSync(mix, 'webhook-ack: 3\nwebhook-wait: 1\n');
  const load = ['--mix', mix, '--query', 'seconds=1', '--rates', '6/s'];
  const run = await runValidate(...profile('queue'), '--set', 'worker.concurrency=5', ...load, ...SHORT, ...LENIENT);
  expect(run.exitCode).toBe(0);
  expect(run.run.deployment).toMatchObject({ mode: 'queue', database: 'postgresdb', slots: 10 });
  expect(run.run.deployment.instances.map((i) => i.component)).toEqual([
    'postgresql',
    'redis',
    'main',
    'worker',
    'worker',
    'webhook',
    'webhook',
  ]);
  expect(run.steps[0]!.executions!.completed).toBe(run.steps[0]!.executions!.accepted);
  expect(run.samples.some((s) => s.queue !== undefined)).toBe(true);
  // The work was done where it belongs: the workers used CPU for it.
  const cpu = (name: string) => run.samples.at(-1)!.instances.find((i) => i.name.includes(name))!.cpuSeconds;
  expect(cpu('worker-0') + cpu('worker-1')).toBeGreaterThan(0);
});

test('own mode: n8n 0.221.2 forks a process for each execution', async () => {
  const args = ['--workload', 'webhook-ack-wait', '--query', 'seconds=1', '--clients', '2'];
  const run = await runValidate(...profile('legacy-own'), ...args, ...SHORT, ...LENIENT);
  expect(run.steps[0]!.summary.answered).toBeGreaterThan(0);
  expect(run.run).toMatchObject({ versions: { n8n: '0.221.2' }, deployment: { process: 'own' } });
  expect(Math.max(...run.samples.map((s) => s.instances[0]!.processes))).toBeGreaterThan(2);
});

test('a deployment that dies under load is a FAIL that says which limit it hit and which value to change', async () => {
  const hog = ['--workload', 'memory-hog', '--query', 'mb=700', '--query', 'ms=2000', '--rates', '5/s'];
  const run = await runValidate(
    ...hog,
    '--set',
    'main.resources.limits.memory=1Gi',
    ...SHORT,
    '--timeout',
    '15s',
    ...LENIENT,
  );
  expect(run.exitCode).toBe(1);
  expect(run.conclusion.verdict.verdict).toBe('FAIL');
  const [reason] = run.conclusion.verdict.loads[0]!.steps[0]!.judged.reasons;
  expect(reason).toMatchObject({ code: 'died' });
  expect(reason!.text).toMatch(/n8n-tuned-main-0 died under load \((V8HeapLimit|OOMKilled)/);
  expect(run.conclusion.recommendation!.title).toMatch(
    /First value to change: main\.(heap\.n8n|resources\.limits\.memory)/,
  );
});

test('a task runner that dies under load is a FAIL, though n8n replaces it without a word', async () => {
  const earlier = new Set(taskRunners());
  const { child, folder } = startValidate(
    '--workload',
    'webhook-ack',
    '--rates',
    '4/s',
    '--step-duration',
    '8s',
    ...LENIENT,
  );
  await printed(child, /webhook-ack at 4\/s/);
  await sleep(6000);
  for (const pid of taskRunners().filter((p) => !earlier.has(p))) process.kill(pid, 'SIGKILL');
  const { exitCode } = await child;
  expect(exitCode).toBe(1);
  expect(readFileSync(join(folder, 'verdict.json'), 'utf8')).toContain(
    'n8n-tuned-main-0 lost its task runner under load',
  );
});

test.each([
  ['while n8n imports', /importing webhook-ack/, 500],
  ['while n8n starts', /starting main/, 500],
  ['under load', /webhook-ack at 2\/s/, 3000],
])('Ctrl-C %s leaves nothing behind', async (_, line, afterMs) => {
  const { child, folder } = startValidate('--workload', 'webhook-ack', '--rates', '2/s', '--step-duration', '60s');
  await printed(child, line);
  await sleep(afterMs);
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(130);
  // What was recorded so far is whole.
  for (const name of readdirSync(folder)) expect(name).not.toMatch(/\.partial$/);
  if (existsSync(join(folder, 'run.json'))) JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
});

test('an n8n that does not come up: its last lines and where its log is', async () => {
  const starved = [
    '--set',
    'heap.enabled=false',
    '--set',
    'extraEnv[0].name=NODE_OPTIONS,extraEnv[0].value=--max-old-space-size=40',
  ];
  const { child } = startValidate('--workload', 'webhook-ack', ...starved);
  const { exitCode, stderr } = await child;
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/n8n does not come up.*heap out of memory.*The whole log: .*import\.log/s);
});

test('a port that is taken', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const { exitCode, stderr } = await startValidate('--port', String(port)).child;
  server.close();
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(`--port ${port}: cannot be used (something listens there)`);
});

test.each([
  ['an unknown flag', ['--wrkload', 'x'], /unknown option '--wrkload'\s+\(Did you mean --workload\?\)/],
  [
    'values that the chart refuses',
    ['--set', 'executions.process=own'],
    /the chart refuses these values:.*executions\.process/s,
  ],
  ['a version that is not installed here', ['--set', 'image.tag=1.90.0'], /image\.tag: n8n 1\.90\.0 has no runtime/],
])('%s: exit code 3 before anything starts', async (_, args, message) => {
  const { exitCode, stdout, stderr } = await startValidate(...args).child;
  expect(exitCode).toBe(3);
  expect(stdout).toBe('');
  expect(stderr).toMatch(message);
});
