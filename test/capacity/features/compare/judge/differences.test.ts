import type { RunRecord } from '../../../../../capacity/src/model/run.js';
import {
  differences,
  machineWarnings,
  type ComparedRun,
} from '../../../../../capacity/src/features/compare/judge/differences.js';
import { buildPlan, regularDeployment } from '../../../support/index.js';

const record = (changes: Partial<RunRecord> = {}): RunRecord => ({
  tool: 'n8n-capacity validate',
  startedAt: '2026-11-20T10:15:00.000Z',
  plan: buildPlan(),
  versions: { n8n: '2.41.1', k6: '2.2.0' },
  machine: { cpus: 2, memoryBytes: 24 * 2 ** 30, platform: 'linux x64', generatorLimit: 2000 },
  deployment: regularDeployment(),
  ...changes,
});
const between = (a: Partial<ComparedRun>, b: Partial<ComparedRun>) =>
  differences({ run: record(), ...a }, { run: record(), ...b });

test('a run does not differ from itself; what is measured is no difference', () => {
  const again = record({ startedAt: 'later', machine: { ...record().machine, generatorLimit: 1500 } });
  expect(between({ values: { a: 1 } }, { run: again, values: { a: 1 } })).toEqual([]);
});

test('what fills the database before, and how requests arrive', () => {
  const b = record({ plan: buildPlan({ seedExecutions: 50_000, arrivals: { kind: 'even' } }) });
  const a = record({ plan: buildPlan({ arrivals: { kind: 'poisson', seed: 1 } }) });
  expect(between({ run: a }, { run: b }).map(({ what, a, b: inB }) => [what, a, inB])).toEqual([
    ['arrivals', 'poisson', 'even'],
    ['executions in the database before', '0', '50000'],
  ]);
  const otherSeed = record({ plan: buildPlan({ arrivals: { kind: 'poisson', seed: 2 } }) });
  expect(between({ run: a }, { run: otherSeed })).toEqual([]);
});

test('versions, machine, deployment and plan', () => {
  const [main] = regularDeployment().instances;
  const b = record({
    versions: { n8n: '2.39.10', k6: '2.2.0', node: '24.1.0' },
    machine: { cpus: 4, memoryBytes: 8 * 2 ** 30, platform: 'linux x64' },
    deployment: regularDeployment({
      mode: 'queue',
      slots: 20,
      instances: [
        { ...main!, heapMiB: 800 },
        { name: 'worker-0', component: 'worker', limits: { cpuMillis: 500 } },
        { name: 'worker-1', component: 'worker', limits: { cpuMillis: 500 } },
      ],
    }),
    plan: buildPlan({ slo: { p95: 0.5, errors: 0.01 }, scriptEnv: { SECONDS: '1' } }),
  });
  expect(between({}, { run: b }).map(({ kind, what, a, b: inB }) => [kind, what, a, inB])).toEqual([
    ['version', 'n8n', '2.41.1', '2.39.10'],
    ['version', 'node', undefined, '24.1.0'],
    ['machine', 'cores', '2', '4'],
    ['machine', 'memory', '24 GiB', '8 GiB'],
    ['deployment', 'mode', 'regular', 'queue'],
    ['deployment', 'main: heap of n8n', '1051 MiB', '800 MiB'],
    ['deployment', 'concurrent executions', undefined, '20'],
    ['deployment', 'worker: replicas', undefined, '2'],
    ['deployment', 'worker: CPU limit', undefined, '500m'],
    ['plan', 'objective p95', '800 ms', '500 ms'],
    ['plan', 'objective p99', '2.00 s', undefined],
    ['plan', 'SECONDS', undefined, '1'],
  ]);
});

test('values by their paths, as helm merged them; what may be secret is not shown', () => {
  const a = { main: { heap: { n8n: 400 } }, database: { password: 'hunter2' }, list: [1, { x: 2 }] };
  const b = {
    main: { heap: { n8n: 500 } },
    database: { password: 'hunter3' },
    list: [1, { x: 3 }],
    worker: { replicas: 2 },
  };
  expect(between({ values: a }, { values: b })).toEqual([
    { kind: 'value', what: 'main.heap.n8n', a: '400', b: '500' },
    { kind: 'value', what: 'database.password', a: '<hidden>', b: '<hidden>' },
    { kind: 'value', what: 'list[1].x', a: '2', b: '3' },
    { kind: 'value', what: 'worker.replicas', b: '2' },
  ]);
});

test('without kept values, what the command lines gave', () => {
  const given = record({ plan: buildPlan({ values: { files: ['queue.yaml'], set: ['worker.replicas=2'] } }) });
  expect(between({}, { run: given, values: {} })).toEqual([
    { kind: 'value', what: '-f', b: 'queue.yaml' },
    { kind: 'value', what: '--set', b: 'worker.replicas=2' },
  ]);
});

describe('another CPU', () => {
  const on = (cpuModel?: string, cpus = 2) =>
    record({ machine: { cpus, memoryBytes: 1, platform: 'linux x64', ...(cpuModel && { cpuModel }) } });

  test.each<[string, RunRecord, RunRecord, string[]]>([
    ['the same', on('EPYC 7'), on('EPYC 7'), []],
    ['another model', on('EPYC 7'), on('Xeon 8'), ['EPYC 7', 'Xeon 8']],
    ['more cores', on('EPYC 7'), on('EPYC 7', 4), ['2 × EPYC 7', '4 × EPYC 7']],
    ['one that was not recorded', on(), on('EPYC 7'), ['A', 'not recorded']],
    ['neither was recorded', on(), on(), []],
  ])('%s', (_, a, b, facts) => {
    const warnings = machineWarnings(a, b);
    expect(warnings).toHaveLength(facts.length > 0 ? 1 : 0);
    for (const fact of facts) expect(warnings[0]).toContain(fact);
  });

  test('is among the differences', () => {
    expect(between({ run: on('EPYC 7') }, { run: on('Xeon 8') })).toContainEqual({
      kind: 'machine',
      what: 'CPU',
      a: 'EPYC 7',
      b: 'Xeon 8',
    });
  });
});
