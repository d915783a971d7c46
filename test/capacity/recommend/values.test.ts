import type { StepRecord } from '../../../capacity/src/model/step.js';
import type { LoadPlan } from '../../../capacity/src/model/plan.js';
import type { RunRecord } from '../../../capacity/src/model/run.js';
import type { Sample } from '../../../capacity/src/model/sample.js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { RecordedRun } from '../../../capacity/src/record/recorder.js';
import { chartRefusal } from '../../../capacity/src/chart/refusal.js';
import { judgeSteps } from '../../../capacity/src/judge/run.js';
import { recommendedSettings, valuesDocument } from '../../../capacity/src/recommend/values.js';
import { mergedValues } from '../../../capacity/src/chart/merged-values.js';
import { helm } from '../../support/tools.js';
import { buildGoodStep, instance, buildLoad, buildPlan, regularDeployment } from '../support/index.js';

const GIB = 2 ** 30;

/** Ten seconds in which main uses so many cores and so much memory. */
const samples = (cores: number, rssBytes: number): Sample[] =>
  Array.from({ length: 11 }, (_, i) => ({
    at: 1_000_000 + i * 1000,
    instances: [{ name: 'main-0', rssBytes, cpuSeconds: 100 + cores * i, processes: 2 }],
  }));

const queue = regularDeployment({
  mode: 'queue',
  slots: 10,
  instances: [
    { name: 'worker-0', component: 'worker', limits: { cpuMillis: 1000, memoryBytes: GIB } },
    { name: 'webhook-0', component: 'webhook', limits: { cpuMillis: 500, memoryBytes: GIB } },
  ],
});

describe('recommended values', () => {
  const recorded = (step: StepRecord, seen: Sample[], deployment = regularDeployment()) => ({
    folder: '/run',
    run: { deployment, plan: buildPlan(), versions: { n8n: '2.41.1' } } as RunRecord,
    steps: [step],
    samples: seen,
    events: [],
    rows: [],
  });

  const supported = (run: RecordedRun, given = {}) =>
    recommendedSettings(run, judgeSteps(buildPlan(), run.steps), given);
  const settingsOf = (run: RecordedRun, given = {}) => supported(run, given).settings!;

  test('requests are what was used at the sustained rate and 15 % more, never above the limit', () => {
    const step = buildGoodStep();
    const run = recorded(step, samples(0.42, 0.9 * GIB));
    const settings = settingsOf(run);
    expect(Object.fromEntries(settings.map((s) => [s.path.join('.'), s.value]))).toEqual({
      'main.heap.n8n': 1051,
      'main.heap.runner': 517,
      'main.resources.requests.cpu': '500m',
      'main.resources.requests.memory': '1088Mi',
      'capacity.recordedRate.webhook-ack': 20,
    });
    for (const fact of ['measured:', '922 MiB', 'steps.ndjson', 'step 0', 'webhook-ack at 20/s', '15 %'])
      expect(settings.at(-2)!.source).toContain(fact);
    const busy = settingsOf(recorded(step, samples(0.99, 0.9 * GIB)));
    expect(busy.map((s) => s.value)).toEqual([1051, 517, '1000m', '1088Mi', 20]);
  });

  test.each([
    ['all of the limit', 2 * GIB],
    ['less headroom than a request has', 1.8 * GIB],
  ])('no values where n8n used %s', (_, used) => {
    const { settings, refused } = supported(recorded(buildGoodStep(), samples(0.3, used)));
    expect(settings).toBeUndefined();
    for (const fact of ['main', '2048 MiB', '15 %', 'main.resources.limits.memory', 'step 0'])
      expect(refused).toContain(fact);
  });

  test('the working set counts where it was seen, not the resident memory, which counts shared pages twice', () => {
    const seen = samples(0.3, 2.2 * GIB).map((s) => ({
      ...s,
      instances: s.instances.map((i) => ({ ...i, workingSetBytes: GIB })),
    }));
    expect(settingsOf(recorded(buildGoodStep(), seen)).map((s) => s.value)).toContain('1216Mi');
  });

  test('in a pod of several containers, the request is that of n8n’s own, which the limit of the pod does not bound', () => {
    const containers = [
      { name: 'n8n', workingSetBytes: 0.5 * GIB, limitBytes: GIB },
      { name: 'runner', workingSetBytes: 0.4 * GIB, limitBytes: 0.5 * GIB },
    ];
    const seen = samples(1.4, GIB).map((s) => ({ ...s, instances: s.instances.map((i) => ({ ...i, containers })) }));
    const settings = settingsOf(recorded(buildGoodStep(), seen));
    expect(settings.filter((s) => s.path.includes('requests')).map((s) => [s.path.at(-1), s.value])).toEqual([
      ['memory', '640Mi'],
    ]);
    const full = seen.map((s) => ({
      ...s,
      instances: s.instances.map((i) => ({ ...i, containers: [{ ...containers[0]!, workingSetBytes: 0.95 * GIB }] })),
    }));
    expect(supported(recorded(buildGoodStep(), full)).refused).toContain('1024 MiB');
  });

  test('a request is rounded up, but never above the limit', () => {
    const deployment = regularDeployment({ instances: [instance('main-0', 'main', 1000, 1200)] });
    const values = settingsOf(recorded(buildGoodStep(), samples(0.3, 1040 * 2 ** 20), deployment)).map((s) => s.value);
    expect(values).toContain('1200Mi');
  });

  test('heaps that the user set past the chart stay out: it accepts no heap where heap.enabled is false', async () => {
    const given = {
      heap: { enabled: false },
      extraEnv: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=1000' }],
    };
    const folder = await mkdtemp(join(tmpdir(), 'values-'));
    const file = join(folder, 'values.yaml');
    const run = recorded(buildGoodStep(), samples(0.3, GIB));
    try {
      await writeFile(file, valuesDocument(given, settingsOf(run), ''));
      expect(await chartRefusal(helm, file)).toContain('main.heap');
      await writeFile(file, valuesDocument(given, settingsOf(run, given), ''));
      expect(await chartRefusal(helm, file)).toBeUndefined();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('no rate is recorded for an alert that could not count what arrives', () => {
    const step = buildGoodStep();
    const old = recorded(step, [], queue);
    old.run.versions.n8n = '1.123.81';
    const paths = settingsOf(old).map((s) => s.path.join('.'));
    expect(paths).toContain('worker.concurrency');
    expect(paths).not.toContain('capacity.recordedRate.webhook-ack');
  });

  test('the alert counts executions, not requests: sub-workflows are counted in, or left out', () => {
    const rateOf = (load: LoadPlan) => {
      const base = recorded(buildGoodStep({ load: load.name }), samples(0.42, 0.9 * GIB));
      const loaded = buildPlan({ loads: [load] });
      const run = { ...base, run: { ...base.run, plan: loaded } };
      const { settings } = recommendedSettings(run, judgeSteps(loaded, run.steps), {});
      return (parse(valuesDocument({}, settings!, '')) as { capacity: { recordedRate: object } }).capacity.recordedRate;
    };
    expect(rateOf(buildLoad('sub-workflow'))).toEqual({ 'sub-workflow': 40 });
    const mix = ['sub-workflow', 'webhook-ack'].map((workload, i) => ({ workload, weight: 1 + 2 * i }));
    expect(rateOf({ ...buildLoad('mix'), parts: mix })).toEqual({ mix: 25 });
    const custom = (subWorkflows: string[]): LoadPlan => ({
      ...buildLoad('order'),
      custom: {
        ...{ file: 'order.json', subWorkflows, id: 'abc', name: 'Order', path: '/webhook/order', method: 'POST' },
        ...{ responseMode: 'lastNode', proof: 'status' },
      },
    });
    expect(rateOf(custom([]))).toEqual({ order: 20 });
    expect(rateOf(custom(['invoice.json']))).toEqual({ order: { rate: 20, workflowIds: ['abc'] } });
  });

  test('nothing is recommended from steps that broke', () => {
    const step = buildGoodStep({ summary: { latency: { p50: 1, p95: 2, p99: 3, max: 4 } } });
    expect(supported(recorded(step, samples(0.2, GIB))).refused).toBeDefined();
  });

  test('steps that prove a rate together support its values, unless something disturbed them', () => {
    const steps = [buildGoodStep(), buildGoodStep({ index: 1 })];
    const run = { ...recorded(buildGoodStep(), samples(0.42, 0.9 * GIB)), steps };
    const verdict = judgeSteps(buildPlan(), steps);
    const [load] = verdict.loads;
    const settingsWith = (code: 'unproven' | 'clock', capacity: number) => {
      const judged = load!.steps.map((s) => ({
        ...s,
        judged: { ...s.judged, verdict: 'INCONCLUSIVE' as const, reasons: [{ code, text: '' }] },
      }));
      return recommendedSettings(run, { ...verdict, loads: [{ ...load!, steps: judged, capacity }] }, {}).settings;
    };
    expect(settingsWith('unproven', 20)!.find((s) => s.path.at(-1) === 'memory')!.source).toContain('at 20/s');
    expect(settingsWith('unproven', 19)).toBeUndefined();
    expect(settingsWith('clock', 20)).toBeUndefined();
  });

  test('the alert near the recorded rate does not begin below the target', () => {
    const alertOf = (rates: RunRecord['plan']['rates'], given = {}) => {
      const run = recorded(buildGoodStep(), samples(0.42, 0.9 * GIB));
      const changed = { ...run, run: { ...run.run, plan: { ...run.run.plan, rates } } };
      return settingsOf(changed, given).find((s) => s.path.at(-1) === 'alertAtPercent')?.value;
    };
    expect(alertOf({ kind: 'target', rate: 15, headroom: 1.3 })).toBe(77);
    expect(alertOf({ kind: 'target', rate: 15, headroom: 1 })).toBe(95);
    expect(alertOf({ kind: 'target', rate: 15, headroom: 2 })).toBeUndefined();
    expect(alertOf({ kind: 'rates', rates: [20] })).toBeUndefined();
    const own = { capacity: { alertAtPercent: 50 } };
    expect(alertOf({ kind: 'target', rate: 15, headroom: 1.3 }, own)).toBeUndefined();
  });

  test('a computed value replaces a key without a value, and keeps the entries of a map that are not numbers', () => {
    const given = {
      main: { resources: { requests: null } },
      capacity: { recordedRate: { before: 9, orders: { rate: 20, workflowIds: ['a'] } } },
    };
    const replaces = ['capacity', 'recordedRate'];
    const text = valuesDocument(
      given,
      [
        { path: ['main', 'resources', 'requests', 'cpu'], value: '500m', source: 'x' },
        { path: [...replaces, 'webhook-ack'], value: 20, source: 'x', replaces },
      ],
      '',
    );
    expect(parse(text)).toEqual({
      main: { resources: { requests: { cpu: '500m' } } },
      capacity: { recordedRate: { orders: { rate: 20, workflowIds: ['a'] }, 'webhook-ack': 20 } },
    });
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
