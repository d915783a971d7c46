import type { InstanceEvent } from '../../capacity/src/model/events.js';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { stringify } from 'yaml';
import { reasonCodes, readJsonLines, LENIENT, runValidate, startValidate, waitForFile } from '../integration/cli.js';
import { eventually, report } from './support/eventually.js';
import { kubectl } from './support/namespace.js';
import { runNamespaces } from './support/run-namespaces.js';

jest.setTimeout(600_000);

const CLUSTER = ['--provisioner', 'kubernetes'];
/** The kubelet measures memory every 10 to 20 s: a shorter step proves no rate. */
const STEP_SECONDS = 30;
const SHORT = [
  '--workload',
  'webhook-ack',
  '--rates',
  '3/s',
  '--step-duration',
  `${STEP_SECONDS}s`,
  '--warmup',
  '2s',
  '--no-overload',
  ...LENIENT,
];

let before: string[];
beforeEach(async () => void (before = await runNamespaces()));
const left = async () => (await runNamespaces()).filter((name) => !before.includes(name));

test("the chart's defaults: a step is sustained, every pod is sampled, no namespace is left", async () => {
  const run = await runValidate(...CLUSTER, ...SHORT);
  expect(run.conclusion.verdict.verdict).toBe('PASS');
  expect(run.exitCode).toBe(0);
  const [main, ...others] = run.run.deployment.instances;
  expect(others).toEqual([]);
  expect(main).toMatchObject({ component: 'main', name: expect.stringMatching(/^n8n-tuned-main-/) });
  expect(run.run.deployment).toMatchObject({ provisioner: 'kubernetes', limits: { enforced: true } });
  const [step] = run.steps;
  expect(step).toMatchObject({ k6: { exitCode: 0, place: expect.stringMatching(/-node$/) }, events: [] });
  expect(step).toMatchObject({ memory: [{ instance: main!.name, component: 'main', limitBytes: 2 * 2 ** 30 }] });
  // The second count is exact: what k6 was answered is what n8n says it has completed.
  expect(step!.executions!.completed).toBe(step!.executions!.accepted);

  const sampled = run.samples.filter((s) => s.at >= step!.measuredFrom && s.at <= step!.measuredTo);
  expect(sampled.length).toBeGreaterThanOrEqual(5);
  const ofMain = sampled.map((s) => s.instances.find((i) => i.name === main!.name)!);
  for (const sample of ofMain) {
    expect(sample).toMatchObject({ processes: expect.any(Number), heapUsedBytes: expect.any(Number) });
    expect(sample.rssBytes).toBeGreaterThan(200 * 2 ** 20);
  }
  const cores = ofMain.at(-1)!.cpuSeconds - ofMain[0]!.cpuSeconds;
  expect(cores).toBeGreaterThan(0.05);
  expect(cores).toBeLessThan(2 * STEP_SECONDS + 2);
  report(`a step of ${STEP_SECONDS} s: ${sampled.length} samples, main used ${cores.toFixed(1)} s of CPU`);

  expect(await left()).toEqual([]);
  expect(readdirSync(join(run.folder, 'logs'))).toContain(`${main!.name}.log`);
});

test('a custom workflow with its credential, on PostgreSQL, whose transactions are seen', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'custom-'));
  const file = (name: string, content: object) => {
    writeFileSync(join(folder, name), JSON.stringify(content), { mode: 0o600 });
    return join(folder, name);
  };
  const key = { id: 'custom-key', name: 'Key', type: 'httpHeaderAuth', data: { name: 'x-api-key', value: 'hunter2' } };
  const parameters = { httpMethod: 'POST', path: 'order', authentication: 'headerAuth', responseMode: 'lastNode' };
  const credentials = { httpHeaderAuth: { id: key.id, name: key.name } };
  const base = { typeVersion: 1, position: [0, 0] };
  const nodes = [
    { ...base, id: 'a', name: 'Webhook', type: 'n8n-nodes-base.webhook', webhookId: 'hook', parameters, credentials },
    { ...base, id: 'b', name: 'Nothing', type: 'n8n-nodes-base.noOp', parameters: {} },
  ];
  const connections = { Webhook: { main: [[{ node: 'Nothing', type: 'main', index: 0 }]] } };
  const run = await runValidate(
    ...CLUSTER,
    ...['--workflow', file('order.json', { name: 'Order', nodes, connections })],
    ...[
      '--credentials',
      file('credentials.json', [key]),
      '--headers',
      file('headers.json', { 'x-api-key': 'hunter2' }),
    ],
    ...['--body', file('body.json', { price: 21 }), '--set', 'database.type=postgresql'],
    ...['--rates', '3/s', '--step-duration', '8s', '--warmup', '2s', '--no-overload', ...LENIENT],
  );
  const [step] = run.steps;
  expect(step!.summary).toMatchObject({ failed: 0 });
  expect(step!.executions!.accepted).toBeGreaterThanOrEqual(20);
  expect(step!.executions).toMatchObject({ completed: step!.executions!.accepted, failed: 0 });
  expect(run.run.plan.loads[0]).toMatchObject({ name: 'order', custom: { method: 'POST' } });
  const looks = run.samples.flatMap((s) => s.database ?? []);
  expect(looks.at(-1)!.transactions).toBeGreaterThan(step!.executions!.completed);
  for (const name of ['run.json', 'steps.ndjson', 'report.html'])
    expect(readFileSync(join(run.folder, name), 'utf8')).not.toContain('hunter2');
  expect(await left()).toEqual([]);
}, 900_000);

/** What counts the executions in n8n's database, with n8n's own driver, in main's pod. */
const driver = (name: string) =>
  `require('module').createRequire(require('fs').realpathSync('/usr/local/bin/n8n'))('${name}')`;
const COUNT = 'SELECT count(*) AS n FROM execution_data';
const IN_SQLITE = `new (${driver('sqlite3')}.Database)('/home/node/.n8n/database.sqlite').get('${COUNT}', (error, row) =>
  console.log(error ?? row.n))`;
const IN_POSTGRES = `
const { DB_POSTGRESDB_HOST: host, DB_POSTGRESDB_USER: user, DB_POSTGRESDB_PASSWORD: password } = process.env;
const client = new (${driver('pg')}.Client)({ host, user, password, database: process.env.DB_POSTGRESDB_DATABASE });
client.connect().then(() => client.query('${COUNT}')).then(({ rows }) => console.log(rows[0].n)).finally(() => client.end());
`;

test.each([
  ['SQLite', [], IN_SQLITE],
  ['PostgreSQL', ['--set', 'database.type=postgresql'], IN_POSTGRES],
])('%s is filled; Ctrl-C while the load runs leaves nothing, and what was recorded stays', async (_, values, count) => {
  const seeded = ['--seed-executions', '1500', '--step-duration', '300s'];
  const started = startValidate(...CLUSTER, ...values, ...SHORT, ...seeded);
  const { child, folder } = started;
  await waitForFile(started, 'samples.ndjson');
  const [namespace, ...others] = await left();
  expect(others).toEqual([]);
  const main = ['--namespace', namespace!, 'exec', 'deployment/n8n-tuned-main', '-c', 'n8n', '--'];
  expect(Number(await kubectl([...main, 'node', '-e', count]))).toBeGreaterThanOrEqual(1500);
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(130);
  expect(await left()).toEqual([]);
  expect(readFileSync(join(folder, 'run.json'), 'utf8')).toContain('"kubernetes"');
});

test('what a killed run has left is removed by the next one, and nothing that it did not make', async () => {
  const killed = startValidate(...CLUSTER, ...SHORT);
  await eventually('the namespace is there', 300, async () => (await left()).length > 0);
  killed.child.kill('SIGKILL');
  await killed.child;
  const [dead, ...others] = await left();
  expect(others).toEqual([]);

  const { metadata } = JSON.parse(await kubectl(['get', 'namespace', dead!, '-o', 'json']));
  const foreign = [
    { name: 'n8n-capacity-of-somebody', labels: {} },
    {
      name: 'n8n-capacity-elsewhere',
      labels: { ...metadata.labels, 'n8n-tuned.io/capacity-host': 'another' },
    },
    {
      name: 'n8n-capacity-alive',
      labels: { ...metadata.labels, 'n8n-tuned.io/capacity-process': String(process.pid) },
    },
  ];
  const names = foreign.map(({ name }) => name);
  try {
    for (const { name, labels } of foreign) {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
      await kubectl(['create', '-f', '-'], stringify(namespace));
    }
    const next = startValidate(...CLUSTER, ...SHORT);
    const isReplaced = (now: string[]) => !now.includes(dead!) && now.length > names.length;
    await eventually('the next run has replaced it', 300, async () => isReplaced(await left()));
    next.child.kill('SIGINT');
    expect((await next.child).exitCode).toBe(130);
    expect((await left()).sort()).toEqual([...names].sort());
  } finally {
    await kubectl(['delete', 'namespace', ...names, '--ignore-not-found', '--timeout=120s']);
  }
});

test('main OOMKilled under load is a FAIL that says so', async () => {
  const values = [
    'heap.enabled=false',
    'extraEnv[0].name=NODE_OPTIONS,extraEnv[0].value=--max-old-space-size=4096',
    'main.resources.limits.memory=1Gi',
  ].flatMap((value) => ['--set', value]);
  const hog = ['--workload', 'memory-hog', '--query', 'mb=1024', '--query', 'ms=2000', '--rates', '3/s'];
  const times = ['--step-duration', '8s', '--warmup', '2s', '--timeout', '15s', '--no-overload', ...LENIENT];
  const run = await runValidate(...CLUSTER, ...values, ...hog, ...times);
  expect(run.conclusion.verdict.verdict).toBe('FAIL');
  expect(reasonCodes(run.conclusion.verdict)[0]).toBe('died');
  const events = readJsonLines<InstanceEvent>(join(run.folder, 'events.ndjson'));
  expect(events).toContainEqual(expect.objectContaining({ kind: 'died', component: 'main', reason: 'OOMKilled' }));
  expect(await left()).toEqual([]);
});

test('a task runner that ends under load is a FAIL that says so, though no container has ended', async () => {
  const started = startValidate(...CLUSTER, ...SHORT, '--step-duration', '20s');
  const { child, folder } = started;
  await waitForFile(started, 'run.json');
  const [namespace] = await left();
  const kill =
    'for p in /proc/[0-9]*; do if grep -q task-runner/[d]ist $p/cmdline; then kill -9 ${p#/proc/}; fi; done 2>/dev/null; true';
  // Warm-up is not judged.
  await sleep(6000);
  await kubectl(['--namespace', namespace!, 'exec', 'deployment/n8n-tuned-main', '--', 'sh', '-c', kill]);
  expect((await child).exitCode).toBe(1);
  const end = { kind: 'runner-died', component: 'main' };
  expect(readJsonLines<InstanceEvent>(join(folder, 'events.ndjson'))).toContainEqual(expect.objectContaining(end));
  expect(await left()).toEqual([]);
});
