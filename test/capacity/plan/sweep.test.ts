import { UsageError } from '../../../capacity/src/core/errors.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { configurations } from '../../../capacity/src/plan/configurations.js';
import { settingsOf, valuesOf } from '../../../capacity/src/plan/dimensions.js';
import { readSweepPlan } from '../../../capacity/src/plan/sweep.js';

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-plan-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'plan.yaml');
const read = (text: string) => {
  writeFileSync(file, text);
  return readSweepPlan(file);
};
const least = 'name: p\ndimensions: {workers: [1, 2]}\n';

test('a plan is what validate would be given, and dimensions', () => {
  writeFileSync(join(folder, 'base.yaml'), 'executions: {mode: queue}\n');
  const plan = read(`
name: right-size
question: How many workers?
values: {files: [base.yaml], set: [webhook.replicas=2]}
dimensions: {workers: [1, 2, 4], worker.resources.limits.cpu: [500m, 1]}
workload: webhook-wait
query: {seconds: 2}
target: 20/s
headroom: 1.5
slo: {p95: 500ms, errors: 0.1%}
step: {duration: 20s}
prices: {cpuHour: 0.05}
`);
  expect(plan).toMatchObject({
    name: 'right-size',
    explore: 'front',
    // 2995 requests without a failure support 0.1 %: at 30/s a step of 100 s, and a soak of five times that.
    soakSeconds: 500,
    dimensions: { workers: [1, 2, 4], 'worker.resources.limits.cpu': ['500m', 1] },
    prices: { cpuHour: 0.05, currency: 'USD' },
    measure: {
      values: { files: [join(folder, 'base.yaml')], set: ['webhook.replicas=2'] },
      rates: { kind: 'target', rate: 20, headroom: 1.5 },
      slo: { p95: 0.5, errors: 0.001 },
      loads: [{ name: 'webhook-wait', serviceSeconds: { 'webhook-wait': 2 } }],
    },
  });
});

test.each([
  ['unknown key', `${least}dimension: 1`, /plan\.yaml: unknown key "dimension"; did you mean "dimensions"\?/],
  [
    'unknown key in a section',
    `${least}step: {durations: 10s}`,
    /unknown key "step.durations"; did you mean "duration"\?/,
  ],
  ['wrong unit', `${least}step: {duration: 10}`, /step\.duration: "10" is no duration; write a number with its unit/],
  ['a bad soak', `${least}workload: webhook-ack\nstep: {soak: long}`, /plan\.yaml: step\.soak: "long" is no duration/],
  ['bad objective', `${least}slo: {p95: fast}`, /slo p95: "fast" is no duration/],
  ['bad rate', `${least}target: lots`, /target: "lots" is no arrival rate/],
  ['exclusive keys', `${least}target: 5/s\nclients: 8`, /target and clients exclude each other/],
  ['noise with a target', `${least}target: 5/s\nnoise: 5%`, /noise: is about rates that are compared/],
  ['noise of a word', `${least}noise: little`, /noise: "little" is no percentage/],
  ['noise of one run', `${least}noise: {runs: 1}`, /noise.runs: must be 2 to 20/],
  ['no workload', least, /workload: a sweep drives one load/],
  ['several workloads', `${least}workload: [webhook-ack, webhook-wait]`, /workload: a sweep drives one load/],
  [
    'a value that is no list',
    'name: p\ndimensions: {workers: 3}',
    /dimensions\.workers: 3 is not allowed; write a list, as \[1, 2\]/,
  ],
  ['nothing', '', /the plan: is missing; it must be a section of keys/],
  [
    'values that are no section',
    `${least}values: queue.yaml`,
    /values: "queue.yaml" is not allowed; write a section of keys/,
  ],
  ['no dimensions', 'name: p\ndimensions: {}', /dimensions: names none/],
  ['an empty dimension', 'name: p\ndimensions: {workers: []}', /dimensions\.workers/],
  ['a value twice', 'name: p\ndimensions: {workers: [1, 1]}', /dimensions\.workers: 1 stands there twice/],
  ['no name', 'dimensions: {workers: [1]}', /name: is missing; it must be text/],
  ['a bad name', 'name: Right Size\ndimensions: {workers: [1]}', /name: must be lower-case letters/],
  [
    'an unknown workload',
    `${least}workload: webhok-wait`,
    /workload "webhok-wait" does not exist; did you mean "webhook-wait"\?/,
  ],
  ['no map', '- 1', /the plan: /],
  ['no YAML', '{', /is not valid YAML/],
])('refuses %s', (_, text, message) => {
  expect(() => read(text)).toThrow(UsageError);
  expect(() => read(text)).toThrow(message);
});

test.each([
  ['', { runs: 5 }],
  ['noise: {runs: 3}', { runs: 3 }],
  ['noise: 4%', { band: 0.04 }],
  ['clients: 8', { runs: 5 }],
  ['target: 5/s', undefined],
])('noise of %j', (text, noise) => expect(read(`${least}workload: webhook-ack\n${text}`).noise).toEqual(noise));

test('says when there is no such file', () => {
  expect(() => readSweepPlan(join(folder, 'none.yaml'))).toThrow(/none\.yaml: cannot be read \(ENOENT\)/);
});

test('any text is a plan or one clear refusal', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.string().map((s) => least + s),
      ),
      (text) => {
        try {
          expect(read(text).measure.loads.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          expect((error as Error).message).toContain('plan.yaml: ');
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('configurations are the grid, its last dimension fastest, each with a name that sorts', () => {
  const grid = configurations({ mode: ['queue'], workers: [1, 2], 'worker.resources.limits.cpu': ['500m', 1] });
  expect(grid.map((c) => c.id)).toEqual([
    '1-mode-queue-workers-1-worker.resources.limits.cpu-500m',
    '2-mode-queue-workers-1-worker.resources.limits.cpu-1',
    '3-mode-queue-workers-2-worker.resources.limits.cpu-500m',
    '4-mode-queue-workers-2-worker.resources.limits.cpu-1',
  ]);
  expect(grid[3]!.values).toEqual({ mode: 'queue', workers: 2, 'worker.resources.limits.cpu': 1 });
});

describe('dimensions', () => {
  test.each([
    [{ mode: 'queue' }, 'regular', { 'executions.mode': 'queue', 'database.type': 'postgresql' }],
    [{ workers: 3 }, 'queue', { 'worker.replicas': 3 }],
    [{ concurrency: 5 }, 'queue', { 'worker.concurrency': 5 }],
    [{ concurrency: 5 }, 'regular', { 'executions.concurrencyLimit': 5 }],
    [{ mode: 'regular', heap: 700 }, 'queue', { 'executions.mode': 'regular', 'main.heap.n8n': 700 }],
    [{ cpu: '2' }, 'queue', { 'worker.resources.requests.cpu': '2', 'worker.resources.limits.cpu': '2' }],
    [
      { expressionEngine: 'legacy' },
      'regular',
      { 'expressionEngine.type': 'legacy', 'expressionEngine.acceptLessSafe': true },
    ],
    [{ n8n: '1.123.81' }, 'regular', { 'image.tag': '1.123.81' }],
    [{ 'webhook.replicas': 2 }, 'queue', { 'webhook.replicas': 2 }],
  ])('%j in %s mode', (values, mode, settings) => expect(settingsOf(values, mode)).toEqual(settings));

  test('an unknown one is refused with the nearest', () => {
    expect(() => settingsOf({ worker: 2 }, 'queue')).toThrow(
      /dimensions\.worker: unknown dimension; did you mean "workers"\?/,
    );
  });

  test('become the values of a file', () => {
    expect(valuesOf({ 'worker.replicas': 2, 'worker.resources.limits.cpu': '1', 'image.tag': '2.41.1' })).toEqual({
      worker: { replicas: 2, resources: { limits: { cpu: '1' } } },
      image: { tag: '2.41.1' },
    });
  });
});
