import type { ValidateOptions } from '../../../capacity/src/plan/options.js';
import type { UsageError } from '../../../capacity/src/core/errors.js';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planFromOptions } from '../../../capacity/src/plan/validate.js';
import { expectRefused } from './refused.js';

const defaults: ValidateOptions = { stepDuration: '10s', warmup: '3s', drain: '30s', timeout: '60s' };
const planOf = (options: Partial<ValidateOptions>) => planFromOptions({ ...defaults, ...options });
const folder = mkdtempSync(join(tmpdir(), 'plan-'));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test('nothing given: a search on both default workloads', () => {
  const plan = planOf({});
  expect(plan.loads.map((l) => l.name)).toEqual(['webhook-ack', 'webhook-expression']);
  expect(plan.rates.kind).toBe('search');
  expect(plan.slo).toEqual({ p95: 0.8, p99: 2, errors: 0.01 });
  expect(plan.scriptEnv).toEqual({ ORDER: '1234' });
});

test('service and execution times follow the query', () => {
  const { loads } = planOf({ workload: ['webhook-ack-wait'], query: ['seconds=2'] });
  expect(loads[0]).toMatchObject({
    serviceSeconds: { 'webhook-ack-wait': 0 },
    executionSeconds: { 'webhook-ack-wait': 2 },
  });
});

test('a mix is one load of weighted parts', () => {
  const { loads } = planOf({ mix: file('mix.yaml', 'webhook-ack: 3\nwebhook-wait: 1\n') });
  expect(loads).toHaveLength(1);
  expect(loads[0]!.parts).toEqual([
    { workload: 'webhook-ack', weight: 3 },
    { workload: 'webhook-wait', weight: 1 },
  ]);
});

test.each([
  [{ target: '20/s' }, { kind: 'target', rate: 20, headroom: 1.3 }],
  [
    { target: '600/m', headroom: '1' },
    { kind: 'target', rate: 10, headroom: 1 },
  ],
  [
    { perDay: '86400', peak: '4x' },
    { kind: 'target', rate: 4, headroom: 1.3, day: { executions: 86_400, peak: 4 } },
  ],
  [{ rates: '5/s,10' }, { kind: 'rates', rates: [5, 10] }],
  [{ clients: '8' }, { kind: 'closed', clients: 8 }],
])('%j', (options, rates) => expect(planOf(options).rates).toEqual(rates));

test.each([
  ['enough requests to claim the objectives', { target: '1/s', headroom: '1' }, 299],
  ['two minutes', { target: '100/s' }, 120],
  ['never longer than ten minutes unasked', { target: '4/m' }, 600],
  ['as long as asked', { target: '100/s', stepDuration: '7s' }, 7],
])('a step at the target is %s', (_, options, seconds) => {
  const { stepDuration: _asked, ...unasked } = defaults;
  expect(planFromOptions({ ...unasked, ...options }).stepSeconds).toBe(seconds);
});

test('merge keys are read as helm reads them', () => {
  const values = file('merge.yaml', 'worker: &w\n  replicas: 2\nwebhook:\n  <<: *w\n');
  expect(planOf({ values: [values] }).values.files).toEqual([values]);
});

test('a search begins where a step has enough samples, and never goes below', () => {
  expect(planOf({ stepDuration: '5s' }).rates).toMatchObject({ start: 4, lowest: 4 });
  expect(planOf({ stepDuration: '40s' }).rates).toMatchObject({ start: 2, lowest: 0.5 });
});

test('a step near the capacity has the requests that its percentile needs, unless its length was given', () => {
  const { stepDuration: _, ...unsaid } = defaults;
  const samples = (options: Partial<ValidateOptions>) => {
    const { rates } = planFromOptions({ ...unsaid, ...options });
    return rates.kind === 'search' ? rates.samples : NaN;
  };
  // (1.96 ÷ precision)² × p ÷ ((1 − p) ln²(1 − p)): at twice the precision: 204 at 10 %, 4 times as many at 5 %.
  expect(samples({})).toBe(204);
  expect(samples({ precision: '5%' })).toBe(814);
  expect(samples({ precision: '5%', slo: 'p50=1s' })).toBeLessThan(814);
  expect(samples({ precision: '5%', slo: 'p99=1s' })).toBeGreaterThan(814);
  expect(samples({ stepDuration: '10s' })).toBeUndefined();
});

test('a search begins with short steps', () => {
  const { stepDuration: _asked, ...unasked } = defaults;
  expect(planFromOptions(unasked)).toMatchObject({ stepSeconds: 10, rates: { precision: 0.1 } });
  expect(planOf({ stepDuration: '7s' }).stepSeconds).toBe(7);
});

/** Each bad input, and what its one error names. */
const refusals: [string, Partial<ValidateOptions>, string[]][] = [
  ['an unknown workload', { workload: ['webhok-wait'] }, ['"webhok-wait"', '"webhook-wait"']],
  ['an objective twice', { slo: 'p95=1s,p95=2s' }, ['--slo', 'p95']],
  ['an unknown objective', { slo: 'p96=1s' }, ['--slo', '"p96"', '"p95"']],
  ['an objective without a unit', { slo: 'p95=800' }, ['--slo p95', '"800"', '800ms']],
  ['an error rate that a dead deployment meets', { slo: 'errors=100%' }, ['--slo errors', '100%', '50%']],
  ['an error rate that is not a percentage', { slo: 'errors=0.01' }, ['--slo errors', '"0.01"', '1%']],
  ['a bad rate', { target: '20/x' }, ['--target', '"20/x"', '20/s']],
  ['a rate of 0', { rates: '0/s' }, ['--rates', '"0/s"']],
  ['a target too low to measure', { target: '1/d' }, ['target', '/s', '600s']],
  ['a precision of 0', { precision: '0%' }, ['--precision', '"0%"', '1% to 50%']],
  ['a precision without a unit', { precision: '0.05' }, ['--precision', '"0.05"', '1% to 50%']],
  ['a precision without a search', { target: '5/s', precision: '5%' }, ['--target', '--precision']],
  ['two ways to choose rates', { target: '5/s', clients: '8' }, ['--target', '--clients']],
  ['a peak without executions a day', { peak: '4x' }, ['--peak', '--per-day']],
  ['a peak of 0', { perDay: '1000', peak: '0x' }, ['--peak', '"0x"', '1x to 24x']],
  ['a headroom without a target', { headroom: '1.5' }, ['--headroom', '--target', '--per-day']],
  ['a headroom below 1', { target: '5/s', headroom: '0.5' }, ['--headroom', '"0.5"', '1 to 10']],
  ['a step too short', { stepDuration: '1s' }, ['--step-duration', '"1s"', '5s to 1h']],
  ['a port out of range', { port: '70000' }, ['--port', '"70000"', '1 to 65535']],
  ['a missing values file', { values: ['/nowhere.yaml'] }, ['-f /nowhere.yaml', 'does not exist']],
  ['a values file that is not YAML', { values: [file('bad.yaml', 'a: [1')] }, ['-f ', 'bad.yaml', 'YAML']],
  ['a values file that is a list', { values: [file('list.yaml', '- 1')] }, ['-f ', 'list.yaml', '[1]']],
  ['an unknown value', { values: [file('typo.yaml', 'wroker:\n  replicas: 2\n')] }, ['"wroker"', '"worker"']],
  ['an unknown value, with where all are', { set: ['scaling=1'] }, ['"scaling"', 'charts/n8n-tuned/README.md']],
  ['an unknown nested value', { set: ['worker.replica=2'] }, ['--set', '"worker.replica"', '"replicas"']],
  ['an unknown profile', { profile: 'qeue' }, ['--profile qeue', '"queue"', 'small', 'medium', 'large']],
  ['an unknown value as text', { setString: ['worker.replica=2'] }, ['--set-string', '"worker.replica"', '"replicas"']],
  ['an unknown value from a file', { setFile: [`wroker=${file('w', '')}`] }, ['--set-file', '"wroker"', '"worker"']],
  [
    'a file of a value that is missing',
    { setFile: ['editorUrl=/nowhere'] },
    ['--set-file', '/nowhere', 'does not exist'],
  ],
  ['an unknown value in JSON', { setJson: ['worker={"replica":2}'] }, ['--set-json', '"worker.replica"', '"replicas"']],
  ['an unknown value in an object', { setJson: ['{"wroker":1}'] }, ['--set-json', '"wroker"', '"worker"']],
  ['a value that is not JSON', { setJson: ['worker.replicas=two'] }, ['--set-json', 'worker.replicas', 'JSON']],
  ['an assignment without a value', { set: ['worker.replicas'] }, ['--set worker.replicas', 'key=value']],
  ['an unknown query parameter', { workload: ['cpu-burn'], query: ['m=5'] }, ['--query m', '"n"']],
  ['a query parameter without a value', { query: ['seconds'] }, ['--query seconds', 'name=value']],
  [
    'a query parameter out of range',
    { workload: ['webhook-wait'], query: ['seconds=90'] },
    ['--query seconds', '"90"', '0 to 60'],
  ],
  ['an empty mix', { mix: file('empty.yaml', '{}') }, ['--mix', 'empty.yaml']],
  ['a mix with a weight of 0', { mix: file('zero.yaml', 'webhook-ack: 0') }, ['--mix', '"webhook-ack"', '0.001']],
  ['a mix of an unknown workload', { mix: file('unknown.yaml', 'webhook-akc: 1') }, ['"webhook-ack"']],
  ['a profile of clients', { clients: '8', cpuProfile: true }, ['--cpu-profile', '--clients']],
  ['a mix of clients', { mix: file('c.yaml', 'webhook-ack: 1'), clients: '8' }, ['--mix', '--clients']],
  ['a workload twice', { workload: ['cpu-burn', 'cpu-burn'] }, ['--workload', 'cpu-burn']],
  ['a number that the scripts would refuse', { workload: ['cpu-burn'], query: ['n=1e6'] }, ['--query n', '"1e6"']],
  ['a part of a megabyte', { workload: ['memory-hog'], query: ['mb=1.5'] }, ['--query mb', '"1.5"']],
  ['a timeout below the service time', { workload: ['webhook-wait'], timeout: '5s' }, ['--timeout', '5s']],
  ['a rate too low for its step', { rates: '1/s' }, ['--rates', '1/s', '--step-duration 20s']],
  ['a mix and a workload', { mix: file('m.yaml', 'webhook-ack: 1'), workload: ['cpu-burn'] }, ['--mix', '--workload']],
];

/** Inputs with several problems, and what each of their errors names. */
const several: [string, Partial<ValidateOptions>, string[]][] = [
  [
    'flags of all groups',
    {
      ...{ target: '20/x', slo: 'p95=fast,errors=1,p96=1s', stepDuration: '1s', warmup: 'x', port: '0' },
      ...{ workload: ['webhok-wait', 'cpu-brn'], set: ['wroker=1', 'worker.replica=1'], profile: 'qeue' },
      ...{ values: ['/nowhere.yaml', file('typos.yaml', 'wroker: 1\nworker: {replica: 2}\n')], maxRate: 'x' },
    },
    [
      ...['--profile qeue', '-f /nowhere.yaml', 'typos.yaml: unknown value "wroker"', 'unknown value "worker.replica"'],
      ...[
        '--set wroker=1',
        '--set worker.replica=1',
        '--port',
        'webhok-wait',
        'cpu-brn',
        '--step-duration',
        '--warmup',
      ],
      ...['--max-rate', '"p96"', '--slo p95', '--slo errors', '--target'],
    ],
  ],
  ['rates', { rates: '5/x,10/s,0/s' }, ['"5/x"', '"0/s"']],
  ['parameters', { workload: ['webhook-wait'], query: ['m=5', 'seconds=90'] }, ['--query m', '--query seconds']],
  ['parts of a mix', { mix: file('two.yaml', 'webhook-ack: 0\ncpu-burn: -1\n') }, ['"webhook-ack"', '"cpu-burn"']],
  [
    'contradictions',
    { target: '5/s', clients: '8', precision: '5%', peak: '2x' },
    ['--target and --clients', '--precision', '--peak'],
  ],
  [
    'flags of a custom workflow',
    { workflow: '/nowhere.json', method: 'FETCH', serviceTime: 'x', expectStatus: '99' },
    ['/nowhere.json', '--method', '--service-time', '--expect-status'],
  ],
];

test.each(several)('tells every problem of %s at once', (_, options, parts) => {
  let problems: readonly string[] = [];
  try {
    planOf(options);
  } catch (error) {
    problems = (error as UsageError).problems;
  }
  expect(parts.filter((part) => !problems.some((problem) => problem.includes(part)))).toEqual([]);
  expect(problems).toHaveLength(parts.length);
});

test('a profile is under the files, and every kind of assignment is kept', () => {
  const given = {
    profile: 'queue',
    ...{ set: ['worker.replicas=2'], setString: ['image.tag=2.41.1'], setJson: ['worker={"concurrency":5}'] },
    setFile: [`editorUrl=${file('url', 'https://n8n.example.org/')}`],
  };
  expect(planOf(given).values).toEqual({ ...given, files: [] });
  expect(planOf({}).values).toEqual({ files: [], set: [] });
});

test('the plan keeps which config file gave flags', () => {
  const configOrigin = { file: 'n8n-capacity.yaml', flags: ['target'] };
  expect(planOf({ target: '5/s', configOrigin }).configOrigin).toEqual(configOrigin);
  expect(planOf({ target: '5/s' })).not.toHaveProperty('configOrigin');
});

test.each(refusals)('refuses %s', (_, options, parts) => expectRefused(() => planOf(options), parts));

describe('--max-rate', () => {
  test('guards the run: k6 ends a step early when errors are clearly above the objective', () => {
    const plan = planOf({ maxRate: '10/s', rates: '5/s' });
    expect(plan.guard).toEqual({ maxRate: 10 });
    expect(plan.scriptEnv.ABORT_ERRORS).toBe('0.1');
    expect(planOf({ maxRate: '10/s', slo: 'errors=20%' }).scriptEnv.ABORT_ERRORS).toBe('0.6');
    expect(planOf({ rates: '5/s' }).scriptEnv.ABORT_ERRORS).toBeUndefined();
  });

  test.each<[Partial<ValidateOptions>, string[]]>([
    [{ rates: '5/s,20/s' }, ['--max-rate', '10/s', '20/s']],
    [{ target: '8/s' }, ['--max-rate', '10/s', '10.4/s']],
    [{ clients: '4' }, ['--clients', '--max-rate']],
  ])('%j is refused', (options, parts) => expectRefused(() => planOf({ maxRate: '10/s', ...options }), parts));
});

test.each([
  ['of another chart', 'replicaCounts=2', 'replicaCount'],
  ['of another chart, nested', 'worker.replicaCounts=2', 'replicaCount,'],
  ['for charts that include this one', 'globals=1', 'global,'],
])('no name %s is suggested', (_, assignment, name) => {
  const refused = () => planOf({ set: [assignment] });
  expect(refused).toThrow('unknown value');
  expect(refused).not.toThrow(new RegExp(`(Nearest|Known here|mean).*\\b${name}`));
});
