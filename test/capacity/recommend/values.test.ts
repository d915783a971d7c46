import type { StepRecord } from '../../../capacity/src/model/step.js';
import type { RunRecord } from '../../../capacity/src/model/run.js';
import type { Sample } from '../../../capacity/src/model/sample.js';
import { parse } from 'yaml';
import { judgeSteps } from '../../../capacity/src/judge/run.js';
import { mergedValues, recommendedSettings, valuesDocument } from '../../../capacity/src/recommend/values.js';
import { helm } from '../../support/tools.js';
import { goodStep, plan, regular } from '../support/index.js';

const GIB = 2 ** 30;

/** Ten seconds in which main uses so many cores and so much memory. */
const samples = (cores: number, rssBytes: number): Sample[] =>
  Array.from({ length: 11 }, (_, i) => ({
    at: 1_000_000 + i * 1000,
    instances: [{ name: 'main-0', rssBytes, cpuSeconds: 100 + cores * i, processes: 2 }],
  }));

const queue = regular({
  mode: 'queue',
  slots: 10,
  instances: [
    { name: 'worker-0', component: 'worker', limits: { cpuMillis: 1000, memoryBytes: GIB } },
    { name: 'webhook-0', component: 'webhook', limits: { cpuMillis: 500, memoryBytes: GIB } },
  ],
});

describe('recommended values', () => {
  const recorded = (step: StepRecord, seen: Sample[], deployment = regular()) => ({
    folder: '/run',
    run: { deployment, plan: plan(), versions: { n8n: '2.41.1' } } as RunRecord,
    steps: [step],
    samples: seen,
    events: [],
    rows: [],
  });

  test('requests are what was used at the sustained rate and 15 % more, never above the limit', () => {
    const step = goodStep();
    const run = recorded(step, samples(0.42, 0.9 * GIB));
    const settings = recommendedSettings(run, judgeSteps(plan(), [step]));
    expect(Object.fromEntries(settings.map((s) => [s.path.join('.'), s.value]))).toEqual({
      'main.heap.n8n': 1051,
      'main.heap.runner': 517,
      'main.resources.requests.cpu': '500m',
      'main.resources.requests.memory': '1088Mi',
      'capacity.recordedRate.webhook-ack': 20,
    });
    for (const fact of ['measured:', '922 MiB', 'steps.ndjson', 'step 0', 'webhook-ack at 20/s', '15 %'])
      expect(settings.at(-2)!.source).toContain(fact);
    const full = recommendedSettings(recorded(step, samples(0.99, 2 * GIB)), judgeSteps(plan(), [step]));
    expect(full.map((s) => s.value)).toEqual([1051, 517, '1000m', '2048Mi', 20]);
  });

  test('no rate is recorded for an alert that could not count what arrives', () => {
    const step = goodStep();
    const old = recorded(step, [], queue);
    old.run.versions.n8n = '1.123.81';
    const paths = recommendedSettings(old, judgeSteps(plan(), [step])).map((s) => s.path.join('.'));
    expect(paths).toContain('worker.concurrency');
    expect(paths).not.toContain('capacity.recordedRate.webhook-ack');
  });

  test('nothing is recommended from steps that broke', () => {
    const step = goodStep({ summary: { latency: { p50: 1, p95: 2, p99: 3, max: 4 } } });
    expect(recommendedSettings(recorded(step, samples(0.2, GIB)), judgeSteps(plan(), [step]))).toEqual([]);
  });

  test('the document keeps what was given, and every number says where it comes from', () => {
    const given = { capacity: { rates: { a: 1 } }, worker: { replicas: 3, resources: { limits: { cpu: '1' } } } };
    const text = valuesDocument(
      given,
      [
        { path: ['worker', 'resources', 'requests', 'cpu'], value: '500m', source: 'measured: x' },
        { path: ['worker', 'concurrency'], value: 5, source: 'measured: y' },
        { path: ['capacity', 'rates', 'b'], value: 2, source: 'measured: z', replaces: ['capacity', 'rates'] },
      ],
      ' why',
    );
    expect(parse(text)).toEqual({
      capacity: { rates: { b: 2 } },
      worker: { replicas: 3, concurrency: 5, resources: { limits: { cpu: '1' }, requests: { cpu: '500m' } } },
    });
    expect(text).toMatch(/^# why\n/);
    expect(text).toMatch(/cpu: 500m # measured: x/);
    expect(text).toMatch(/concurrency: 5 # measured: y/);
  });

  test('settings are set where nothing was given', () => {
    const setting = { path: ['capacity', 'rates', 'b'], value: 2, source: 'z', replaces: ['capacity', 'rates'] };
    expect(parse(valuesDocument({}, [setting], ''))).toEqual({ capacity: { rates: { b: 2 } } });
  });

  test("--set is merged by helm's own rules", async () => {
    const merged = await mergedValues(helm, { files: [], set: ['a.b=1,c={x,y}', 'd.e\\.f=true'] });
    expect(merged).toEqual({ a: { b: 1 }, c: ['x', 'y'], d: { 'e.f': true } });
  });
});
