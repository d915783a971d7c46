import type { StepRecord } from '../../../capacity/src/model/step.js';
import type { RunRecord } from '../../../capacity/src/model/run.js';
import type { InstanceEvent } from '../../../capacity/src/model/events.js';
import type { Sample } from '../../../capacity/src/model/sample.js';
import { parse } from 'yaml';
import { judgeSteps } from '../../../capacity/src/judge/run.js';
import { firstChange } from '../../../capacity/src/recommend/first-change.js';
import { mergedValues, recommendedSettings, valuesDocument } from '../../../capacity/src/recommend/values.js';
import { helm } from '../../support/tools.js';
import { goodStep, plan, regular } from '../support/index.js';

const GIB = 2 ** 30;

/** Ten seconds in which each instance uses so many cores and so much memory. */
function samples(use: Record<string, { cores: number; rss: number }>, queue?: Sample['queue']): Sample[] {
  return Array.from({ length: 11 }, (_, i) => ({
    at: 1_000_000 + i * 1000,
    instances: Object.entries(use).map(([name, { cores, rss }]) => ({
      name,
      rssBytes: rss,
      cpuSeconds: 100 + cores * i,
      processes: 2,
    })),
    ...(queue && { queue }),
  }));
}

const slow = { latency: { p50: 1, p95: 2, p99: 3, max: 4 } };
const died = (reason: InstanceEvent['reason']): InstanceEvent => ({
  at: 1,
  instance: 'main-0',
  component: 'main',
  kind: 'died',
  detail: 'x',
  reason: reason!,
});
const idle = { 'main-0': { cores: 0.2, rss: GIB } };

const queue = regular({
  mode: 'queue',
  slots: 10,
  instances: [
    { name: 'main-0', component: 'main', limits: { cpuMillis: 1000, memoryBytes: GIB } },
    { name: 'worker-0', component: 'worker', limits: { cpuMillis: 1000, memoryBytes: GIB } },
    { name: 'webhook-0', component: 'webhook', limits: { cpuMillis: 500, memoryBytes: GIB } },
  ],
});
const withRedis = {
  ...queue,
  instances: [
    ...queue.instances,
    { name: 'redis-0', component: 'redis' as const, limits: { cpuMillis: 1000, memoryBytes: GIB } },
  ],
};
const quiet = { cores: 0.1, rss: GIB / 2 };

describe('firstChange', () => {
  const cases: [string, ReturnType<typeof regular>, StepRecord, Sample[], string | undefined, RegExp][] = [
    [
      'own mode, whatever else happened',
      regular({ process: 'own' }),
      goodStep({ events: [died('OOMKilled')] }),
      samples(idle),
      'executions.process',
      /to main/,
    ],
    [
      'an OOM kill',
      regular(),
      goodStep({ events: [died('OOMKilled')] }),
      samples({ 'main-0': { cores: 1, rss: 2 * GIB } }),
      'main.resources.limits.memory',
      /to 3Gi, or set executions.concurrencyLimit.*not the expression isolate.*2048 MiB under a limit of 2048 MiB/,
    ],
    [
      'a V8 heap limit',
      regular(),
      goodStep({ events: [died('V8HeapLimit')] }),
      samples(idle),
      'main.heap.n8n',
      /V8 gave up/,
    ],
    [
      'one busy process',
      regular(),
      goodStep({ summary: slow }),
      samples({ 'main-0': { cores: 0.97, rss: GIB } }),
      'executions.mode',
      /queue and add workers: main-0 used 0.97 cores of 1/,
    ],
    [
      'a process throttled below one core',
      regular({ instances: [{ name: 'main-0', component: 'main', limits: { cpuMillis: 500 } }] }),
      goodStep({ summary: slow }),
      samples({ 'main-0': { cores: 0.5, rss: GIB } }),
      'main.resources.limits.cpu',
      /0.50 cores of 0.5/,
    ],
    [
      'full slots while workers idle',
      queue,
      goodStep({ summary: slow }),
      samples({ 'main-0': quiet, 'worker-0': quiet, 'webhook-0': quiet }, { waiting: 20, active: 10 }),
      'worker.concurrency',
      /all 10 slots were taken and up to 20 jobs waited/,
    ],
    [
      'full slots while workers are busy',
      queue,
      goodStep({ summary: slow }),
      samples({ 'main-0': quiet, 'worker-0': { cores: 1, rss: GIB }, 'webhook-0': quiet }, { waiting: 20, active: 10 }),
      'worker.replicas',
      /CPU was at its limit/,
    ],
    [
      'busy webhook processors',
      queue,
      goodStep({ summary: slow }),
      samples({ 'main-0': quiet, 'worker-0': quiet, 'webhook-0': { cores: 0.5, rss: GIB } }, { waiting: 0, active: 2 }),
      'webhook.resources.limits.cpu',
      /0.50 cores of 0.5/,
    ],
    [
      'a failed probe of a busy process',
      regular(),
      goodStep({ events: [died('LivenessProbe')] }),
      samples({ 'main-0': { cores: 0.97, rss: GIB } }),
      'executions.mode',
      /0.97 cores of 1/,
    ],
    [
      'a failed probe of an idle process',
      regular(),
      goodStep({ events: [died('LivenessProbe')] }),
      samples(idle),
      undefined,
      /main-0 did not answer its probe in time/,
    ],
    [
      'a crash',
      regular(),
      goodStep({ events: [died('Crash')] }),
      samples(idle),
      undefined,
      /main-0 ended by itself .*: its log beside this report says why/,
    ],
    [
      'a busy Redis',
      withRedis,
      goodStep({ summary: slow }),
      samples({ 'main-0': quiet, 'redis-0': { cores: 0.99, rss: GIB } }),
      'redis.resources.limits.cpu',
      /or use a Redis outside the cluster: redis-0 used 0.99 cores of 1/,
    ],
    [
      'a held event loop',
      queue,
      goodStep({ summary: slow }),
      samples({ 'worker-0': quiet }).map((s) => ({
        ...s,
        instances: s.instances.map((i) => ({ ...i, eventLoopLagP99Seconds: 0.8 })),
      })),
      'worker.replicas',
      /event loop lagged by 800 ms/,
    ],
    [
      'memory at its limit, before the kernel acts, where executions are limited',
      regular({ slots: 50 }),
      goodStep({ summary: slow }),
      samples({ 'main-0': { cores: 0.2, rss: 2 * GIB } }),
      'main.resources.limits.memory',
      /to 3Gi: main-0 peaked at 2048 MiB/,
    ],
    [
      'nothing at its limit',
      regular(),
      goodStep({ summary: slow }),
      samples(idle),
      undefined,
      /Nothing measured is at its limit/,
    ],
  ];

  test.each(cases)('%s', (_, deployment, step, seen, value, text) => {
    const change = firstChange(deployment, judgeSteps(plan(), [step]), seen)!;
    expect(change.value).toBe(value);
    expect(change.text).toMatch(text);
  });

  test('nothing to change where nothing broke', () => {
    expect(firstChange(regular(), judgeSteps(plan(), [goodStep()]), [])).toBeUndefined();
  });
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
    const run = recorded(step, samples({ 'main-0': { cores: 0.42, rss: 0.9 * GIB } }));
    const settings = recommendedSettings(run, judgeSteps(plan(), [step]));
    expect(Object.fromEntries(settings.map((s) => [s.path.join('.'), s.value]))).toEqual({
      'main.heap.n8n': 1051,
      'main.heap.runner': 517,
      'main.resources.requests.cpu': '500m',
      'main.resources.requests.memory': '1088Mi',
      'capacity.recordedRate.webhook-ack': 20,
    });
    expect(settings.at(-2)!.source).toMatch(
      /^measured: peak 922 MiB in steps.ndjson, step 0 \(webhook-ack at 20\/s\), plus 15 %/,
    );
    const full = recommendedSettings(
      recorded(step, samples({ 'main-0': { cores: 0.99, rss: 2 * GIB } })),
      judgeSteps(plan(), [step]),
    );
    expect(full.map((s) => s.value)).toEqual([1051, 517, '1000m', '2048Mi', 20]);
  });

  test('no rate is recorded for an alert that could not count what arrives', () => {
    const step = goodStep();
    const old = recorded(step, samples({}), queue);
    old.run.versions.n8n = '1.123.81';
    const paths = recommendedSettings(old, judgeSteps(plan(), [step])).map((s) => s.path.join('.'));
    expect(paths).toContain('worker.concurrency');
    expect(paths).not.toContain('capacity.recordedRate.webhook-ack');
  });

  test('nothing is recommended from steps that broke', () => {
    const step = goodStep({ summary: slow });
    expect(recommendedSettings(recorded(step, samples(idle)), judgeSteps(plan(), [step]))).toEqual([]);
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
