import { UsageError } from '../../../../../capacity/src/core/errors.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { readSweepPlan } from '../../../../../capacity/src/features/sweep/plan/sweep.js';
import { expectRefused } from '../../../plan/refused.js';

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
    // The step was asked for: a hold of five times that.
    holdSeconds: 100,
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

test('values of every kind; files are relative to the plan', () => {
  for (const name of ['base.yaml', 'url']) writeFileSync(join(folder, name), '');
  const { measure } = read(`${least}workload: webhook-wait
values:
  profile: queue
  files: [base.yaml]
  set: [webhook.replicas=2]
  setString: [image.tag=2.41.1]
  setFile: [editorUrl=url]
  setJson: ['worker={"concurrency":5}']
`);
  expect(measure.values).toEqual({
    profile: 'queue',
    ...{ files: [join(folder, 'base.yaml')], set: ['webhook.replicas=2'], setString: ['image.tag=2.41.1'] },
    ...{ setFile: [`editorUrl=${join(folder, 'url')}`], setJson: ['worker={"concurrency":5}'] },
  });
});

test.each([
  [
    'the structure',
    'name: P p\ndimensions: {workers: 1}\ntagret: 5/s\nstep: {durations: 1s, warmups: 1s}',
    ['name', 'dimensions.workers', '"tagret"', '"step.durations"', '"step.warmups"'],
  ],
  ['the values of dimensions', 'name: p\ndimensions: {workers: [1, 1], webhooks: [2, 2]}', ['workers', 'webhooks']],
  [
    'the dimensions, beside other keys',
    'name: p\ndimensions: {wokers: [1], conc: [2], wroker.replicas: [1], workers: [1]}\ntagret: 5/s',
    ['dimensions.wokers', 'dimensions.conc', '"wroker"', '"tagret"'],
  ],
  [
    'the dimensions of manifests',
    'name: p\ndimensions: {wokers: [1], conc: [2], N8N_LOG_LEVEL: [warn]}\nmanifests: n8n.yaml',
    ['dimensions.wokers', 'dimensions.conc'],
  ],
  [
    'the quantities',
    `${least}workload: webhok\ntarget: lots\nstep: {duration: 10}\nslo: {p95: fast}\nvalues: {profile: qeue}`,
    ['"webhok"', ' target', 'step.duration', 'slo p95', 'values.profile qeue'],
  ],
])('tells every problem of %s, each with the file', (_, text, parts) => {
  let problems: readonly string[] = [];
  try {
    read(text);
  } catch (error) {
    problems = (error as UsageError).problems;
  }
  expect(parts.filter((part) => !problems.some((problem) => problem.includes(part)))).toEqual([]);
  expect(problems).toHaveLength(parts.length);
  for (const problem of problems) expect(problem).toContain('plan.yaml: ');
});

test.each<[string, string, string[]]>([
  ['an unknown key', `${least}dimension: 1`, ['"dimension"', '"dimensions"']],
  ['an unknown key in a section', `${least}step: {durations: 10s}`, ['"step.durations"', '"duration"']],
  ['an unknown key of the noise', `${least}noise: {run: 3}`, ['noise']],
  ['a time without a unit', `${least}step: {duration: 10}`, ['step.duration', '"10"']],
  ['a bad hold', `${least}workload: webhook-ack\nstep: {hold: long}`, ['step.hold', '"long"']],
  ['a bad objective', `${least}slo: {p95: fast}`, ['slo p95', '"fast"']],
  ['a bad rate', `${least}target: lots`, [' target', '"lots"']],
  ['a rate too low for its step', `${least}rates: 1/s\nstep: {duration: 10s}`, [' rates', '1/s', 'step.duration 20s']],
  ['exclusive keys', `${least}target: 5/s\nclients: 8`, [' target', ' clients']],
  ['keys that need others', `${least}peak: 4x`, [' peak', ' perDay']],
  ['an unknown value', `${least}values: {set: [wroker=2]}`, ['values.set wroker=2', '"wroker"', '"worker"']],
  ['a missing values file', `${least}values: {files: [none.yaml]}`, ['values.files', 'none.yaml', 'does not exist']],
  ['an unknown query parameter', `${least}workload: cpu-burn\nquery: {m: 5}`, ['query m', '"n"']],
  ['noise with a target', `${least}workload: webhook-ack\ntarget: 5/s\nnoise: 5%`, ['noise', 'target']],
  ['noise in words', `${least}workload: webhook-ack\nnoise: little`, ['noise', '"little"']],
  ['noise of one run', `${least}noise: {runs: 1}`, ['noise.runs', '2 to 20']],
  ['no workload', least, ['workload']],
  ['several workloads', `${least}workload: [webhook-ack, webhook-wait]`, ['workload']],
  ['a value that is not a list', 'name: p\ndimensions: {workers: 3}', ['dimensions.workers', '3', '[1, 2]']],
  ['an empty file', '', ['the plan']],
  ['values that are not a section', `${least}values: queue.yaml`, ['values', '"queue.yaml"']],
  ['no dimensions', 'name: p\ndimensions: {}', ['dimensions']],
  ['an empty dimension', 'name: p\ndimensions: {workers: []}', ['dimensions.workers']],
  ['a value twice', 'name: p\ndimensions: {workers: [1, 1]}', ['dimensions.workers', '1']],
  ['no name', 'dimensions: {workers: [1]}', ['name']],
  ['a bad name', 'name: Right Size\ndimensions: {workers: [1]}', ['name']],
  ['an unknown workload', `${least}workload: webhok-wait`, ['"webhok-wait"', '"webhook-wait"']],
  ['a list', '- 1', ['the plan']],
  ['a file that is not YAML', '{', ['YAML']],
])('refuses %s', (_, text, parts) => {
  expectRefused(() => read(text), ['plan.yaml: ', ...parts]);
  // A plan file has keys, not flags.
  expect(() => read(text)).not.toThrow(/ -(f|-(?!help)[a-z])/);
});

test.each([
  ['', { runs: 5 }],
  ['noise: {runs: 3}', { runs: 3 }],
  ['noise: 4%', { band: 0.04 }],
  ['clients: 8', { runs: 5 }],
  ['target: 5/s', undefined],
])('noise of %j', (text, noise) => expect(read(`${least}workload: webhook-ack\n${text}`).noise).toEqual(noise));

test('says when there is no such file', () => {
  const missing = join(folder, 'none.yaml');
  expectRefused(() => readSweepPlan(missing), [`${missing}: does not exist`]);
  expect(() => readSweepPlan(missing)).not.toThrow(`${missing}: ${missing}`);
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
