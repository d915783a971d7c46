import type { ReasonCode, Verdict } from '../../../../capacity/src/model/verdict.js';
import type { BurstReport } from '../../../../capacity/src/model/reports.js';
import fc from 'fast-check';
import { judgeBurst } from '../../../../capacity/src/judge/profiles/burst.js';
import { backAt } from '../../../../capacity/src/judge/burst-series.js';
import {
  BURST,
  DRAIN,
  buildBurst,
  START,
  type Truth,
  buildGoodStep,
  buildPlan,
  regularDeployment,
} from '../../support/index.js';

const burst = (truth: Truth) => judgeBurst(buildBurst(truth));
const reasons = (verdict: ReturnType<typeof burst>) => verdict.loads[0]!.steps[0]!.judged.reasons;

test('peak, drain and what is left of a queue whose truth is known', () => {
  // (20 − 12)/s over 30 s are 240, which fall by (12 − 2)/s: 24 s after the spike nothing waits.
  const verdict = burst({ perSecond: () => 12 });
  expect(verdict.verdict).toBe('PASS');
  const { peak, drainSeconds, baseLevel, unended, scaling, autoscaled, backlog } = verdict.burst!;
  expect(backlog.source).toBe('queue');
  expect(peak).toEqual({ executions: 240, seconds: 29.5 });
  expect(baseLevel).toBe(1);
  expect(drainSeconds).toBe(23.5);
  expect({ unended, scaling, autoscaled }).toEqual({
    unended: { lost: 0, queued: 0 },
    scaling: [],
    autoscaled: false,
  });
  for (const fact of ['20/s', '30 s', '2/s', '240', '23.5 s']) expect(verdict.loads[0]!.conclusion).toContain(fact);
});

test('what main has accepted and not yet queued is backlog, too', () => {
  // Main passes on as many as the workers end: Bull holds one, and 300 wait in main after the spike.
  const verdict = burst({ burst: { ...BURST, drainWithinSeconds: 30 }, perSecond: () => 10, inBull: () => 1 });
  expect(verdict.burst).toMatchObject({ peak: { executions: 300 }, drainSeconds: 37.5, backlog: { source: 'queue' } });
  expect(verdict.verdict).toBe('FAIL');
});

test.each([
  [6, 'PASS'],
  [10, 'INCONCLUSIVE'],
  [20, 'FAIL'],
])('%d of the 600 requests of a spike failed, and 1 %% may: %s', (failed, expected) => {
  const verdict = burst({
    perSecond: () => 12,
    phases: ({ name, answered }) => (name === 'spike' ? { failed, answered: answered - failed } : {}),
  });
  expect(verdict.verdict).toBe(expected);
});

test('a share that chance may explain hides nothing that failed', () => {
  const verdict = burst({
    burst: { ...BURST, drainWithinSeconds: 10 },
    perSecond: () => 12,
    phases: ({ name, answered }) => (name === 'spike' ? { failed: 10, answered: answered - 10 } : {}),
  });
  expect(verdict.verdict).toBe('FAIL');
});

test('a workload of a mix that is not proved, and a phase with few requests, hide no backlog that stays', () => {
  const stuck = { ...BURST, drainWithinSeconds: 10 };
  const short = { ...BURST, baseSeconds: 6 };
  const mix = (failed: number): Truth['step'] => ({
    summary: {
      ...buildGoodStep().summary,
      ...{ answered: 800, failed },
      parts: {
        common: { answered: 700, failed: 0, slow: {} },
        rare: { answered: 100 - failed, failed, slow: {} },
        unseen: { answered: 0, failed: 0, slow: {} },
      },
    },
  });
  for (const truth of [{ step: mix(0) }, { step: mix(1) }, { burst: { ...stuck, baseSeconds: 6 } }]) {
    const verdict = burst({ burst: stuck, perSecond: () => 12, ...truth });
    expect({ verdict: verdict.verdict, codes: reasons(verdict).map((r) => r.code) }).toEqual({
      verdict: 'FAIL',
      codes: ['drain'],
    });
  }
  // A percentile of few requests proves nothing.
  const late = { p50: 9, p95: 9, p99: 9, max: 9 };
  const recorded = buildBurst({ burst: short, perSecond: () => 12, phases: () => ({ latency: late }) });
  const judged = judgeBurst({ ...recorded, plan: buildPlan({ rates: short, slo: { p95: 1, errors: 0.01 } }) });
  expect(judged.verdict).toBe('INCONCLUSIVE');
});

test('of any queue whose truth is known', () => {
  const rates = fc.record({
    base: fc.integer({ min: 1, max: 5 }),
    spare: fc.integer({ min: 1, max: 20 }),
    above: fc.integer({ min: 1, max: 50 }),
    spikeSeconds: fc.integer({ min: 5, max: 60 }),
    mode: fc.constantFrom('regular' as const, 'queue' as const),
  });
  fc.assert(
    fc.property(rates, ({ base, spare, above, spikeSeconds, mode }) => {
      const capacity = base + spare;
      const asked = { ...BURST, base, spike: capacity + above, spikeSeconds, recoverySeconds: 70 };
      const { peak, drainSeconds } = burst({ burst: asked, perSecond: () => capacity, mode }).burst!;
      expect(peak!.executions).toBe(above * spikeSeconds);
      const truth = (above * spikeSeconds) / spare;
      if (truth < 70) expect(Math.abs(drainSeconds! - truth)).toBeLessThanOrEqual(1.5);
      else if (truth > 70 + DRAIN + (base * 70) / spare) expect(drainSeconds).toBeUndefined();
    }),
  );
});

test('an autoscaler: when the first and the last new pod were ready, and what it bought', () => {
  const ready = (second: number) => (second < 45 ? 1 : second < 52 ? 2 : 3);
  const verdict = burst({
    perSecond: (second) => 6 * ready(second),
    pods: (second) => ({ wanted: second < 35 ? 1 : 3, ready: ready(second) }),
    deployment: {
      autoscalers: [{ component: 'worker', kind: 'HorizontalPodAutoscaler', minReplicas: 1, maxReplicas: 3 }],
    },
    step: {
      events: [
        { at: START + 35_000, instance: 'worker', component: 'worker', kind: 'scaled', detail: 'from 1 to 3 replicas' },
        // It takes them away again: that is no disturbance.
        {
          at: START + 110_000,
          instance: 'worker',
          component: 'worker',
          kind: 'scaled',
          detail: 'from 3 to 2 replicas',
        },
        {
          at: START + 111_000,
          instance: 'worker-x',
          component: 'worker',
          kind: 'evicted',
          detail: 'the pod was deleted',
        },
      ],
    },
  });
  expect(reasons(verdict)).toEqual([]);
  expect(verdict).toMatchObject({ verdict: 'PASS', burst: { autoscaled: true, backlog: { source: 'counts' } } });
  const expected: BurstReport['scaling'] = [
    { component: 'worker', before: 1, most: 3, wanted: 3, firstReady: 25.5, lastReady: 32.5 },
  ];
  expect(verdict.burst!.scaling).toEqual(expected);
  for (const fact of ['worker', 'from 1 to 3', '32.5 s']) expect(verdict.loads[0]!.conclusion).toContain(fact);
});

test.each([
  ['from 1 to 3 replicas', 'the pod was deleted', 'INCONCLUSIVE'],
  ['from 3 to 2 replicas', 'The node was low on resource: memory.', 'INCONCLUSIVE'],
  ['from 3 to 2 replicas', 'the pod was deleted', 'PASS'],
] as const)('after scaling %s, an eviction since “%s” is %s', (scaled, evicted, expected) => {
  const event = (second: number, kind: 'scaled' | 'evicted', detail: string) => ({
    ...{ at: START + second * 1000, instance: 'worker', component: 'worker' as const, kind, detail },
  });
  const verdict = burst({
    perSecond: () => 30,
    step: { events: [event(50, 'scaled', scaled), event(60, 'evicted', evicted)] },
  });
  expect(verdict.verdict).toBe(expected);
});

describe('webhook processors that are removed take their count with them', () => {
  const scaledIn = (component: 'webhook' | 'worker', second: number) => ({
    ...{ at: START + second * 1000, instance: component, component, kind: 'scaled' as const },
    detail: 'from 3 to 2 replicas',
  });
  const regular: Truth = { perSecond: () => 12, lost: 7, mode: 'regular' };
  const [webhook, worker] = [scaledIn('webhook', 70), scaledIn('worker', 70)];
  const late = { ...regular, burst: { ...BURST, drainWithinSeconds: 10 } };

  test.each<[string, Truth, Verdict, ReasonCode[]]>([
    ['what is missing is unknown', { ...regular, step: { events: [webhook] } }, 'INCONCLUSIVE', ['count-unreadable']],
    ['nothing is missing', { ...regular, lost: 0, step: { events: [webhook] } }, 'PASS', []],
    ['workers count none of it', { ...regular, step: { events: [worker] } }, 'FAIL', ['completed']],
    ['the limit of the drain passed before', { ...late, step: { events: [webhook] } }, 'FAIL', ['drain']],
    [
      'sub-workflows that a worker counted',
      {
        ...regular,
        lost: 0,
        step: {
          events: [worker],
          executions: {
            ...{ accepted: 780, completed: 780, failed: 0, drainSeconds: 20 },
            asynchronous: { started: 10, completed: 9, failed: 0 },
          },
        },
      },
      'INCONCLUSIVE',
      ['count-unreadable'],
    ],
  ])('%s', (_, truth, verdict, codes) => {
    const judged = burst(truth);
    expect(judged.verdict).toBe(verdict);
    expect(reasons(judged).map(({ code }) => code)).toEqual(expect.arrayContaining(codes));
    for (const { text } of reasons(judged).filter(({ code }) => code === 'count-unreadable'))
      expect(text).toContain('pod was removed');
  });
});

const DIED = {
  at: START,
  instance: 'worker-0',
  component: 'worker',
  kind: 'died',
  reason: 'OOMKilled',
  detail: '',
} as const;

/** The reason that decides, and facts that its text holds. */
test.each<[string, Truth, Verdict, ReasonCode | undefined, ...string[]]>([
  ['enough for the spike', { perSecond: () => 30 }, 'PASS', undefined],
  ['never drained', { perSecond: () => 2.5 }, 'FAIL', 'drain', '1', '60 s'],
  [
    'an autoscaler that is too slow',
    {
      perSecond: (second) => (second < 110 ? 4 : 100),
      pods: (second) => ({ wanted: second < 40 ? 1 : 3, ready: second < 110 ? 1 : 3 }),
    },
    'FAIL',
    'drain',
    '60 s',
  ],
  ['7 lost', { perSecond: () => 12, lost: 7 }, 'FAIL', 'completed', '7 of 780', 'lost', '20 s'],
  ['late, and not lost', { perSecond: (second) => (second < 50 ? 4 : 3) }, 'FAIL', 'completed', 'queued', '20 s'],
  ['a death', { perSecond: () => 12, step: { events: [DIED] } }, 'FAIL', 'died', 'worker-0', 'OOMKilled'],
  [
    'requests that fail',
    {
      perSecond: () => 12,
      step: { summary: { ...buildGoodStep().summary, answered: 700, failed: 100, failures: { 'HTTP 503': 100 } } },
    },
    'FAIL',
    'errors',
    '12.5 %',
    '1 %',
    '100 × HTTP 503',
  ],
  [
    'a workload of a mix that fails, which hides in the whole',
    {
      perSecond: () => 12,
      step: {
        summary: {
          ...{ ...buildGoodStep().summary, answered: 3980, failed: 12, failures: { 'HTTP 500': 12 } },
          parts: { common: { answered: 3980, failed: 0, slow: {} }, rare: { answered: 0, failed: 12, slow: {} } },
        },
      },
    },
    'FAIL',
    'errors',
    'rare: 12 of 12 requests failed',
  ],
  [
    'executions that end as failed',
    {
      perSecond: () => 12,
      step: { executions: { accepted: 800, completed: 800, failed: 40, drainSeconds: 20 } },
    },
    'FAIL',
    'executions-failed',
    '40 of 800',
  ],
  [
    'memory above 90 % of the limit',
    {
      perSecond: () => 12,
      step: { memory: [{ instance: 'worker-0', component: 'worker', usedBytes: 95, limitBytes: 100 }] },
    },
    'FAIL',
    'memory',
    'worker-0',
    '95 %',
  ],
  [
    'a spike that was not sent, and not dropped either',
    { perSecond: () => 12, phases: ({ name }) => (name === 'spike' ? { answered: 120 } : {}) },
    'INCONCLUSIVE',
    'generator',
    '120 of 600',
    'spike',
  ],
  ['a base load that is too much', { perSecond: () => 1, mode: 'regular' }, 'FAIL', 'backlog', 'base load'],
  [
    'too few requests in the base load',
    { perSecond: () => 12, phases: ({ name }) => (name === 'base' ? { answered: 12 } : {}) },
    'INCONCLUSIVE',
    'too-few-samples',
    '12',
    'base',
    '20',
  ],
  [
    'scaled before the spike',
    { perSecond: () => 12, pods: (second) => ({ wanted: second < 10 ? 1 : 2, ready: 1 }) },
    'INCONCLUSIVE',
    'scaled',
    'worker',
  ],
  [
    'a pod that was asked for before the spike and came in it',
    { perSecond: () => 12, pods: (second) => ({ wanted: 2, ready: second < 30 ? 1 : 2 }) },
    'INCONCLUSIVE',
    'scaled',
    'worker',
  ],
  [
    'a workload of a mix of which no request came',
    {
      perSecond: () => 12,
      step: {
        summary: {
          ...buildGoodStep().summary,
          parts: { common: { answered: 800, failed: 0, slow: {} }, rare: { answered: 0, failed: 0, slow: {} } },
        },
      },
    },
    'INCONCLUSIVE',
    'unproven',
    'rare: no request came',
  ],
  [
    'memory that was not measured',
    { perSecond: () => 12, step: { memoryUnmeasured: ['worker'] } },
    'INCONCLUSIVE',
    'count-unreadable',
    'the memory of worker',
  ],
  ['no count', { perSecond: () => 12, step: { executions: null } }, 'INCONCLUSIVE', 'count-unreadable'],
  [
    'a generator at its limit',
    { perSecond: () => 12, step: { k6: { exitCode: 0, cpuShare: 0.95, samples: '' } } },
    'INCONCLUSIVE',
    'generator',
    '95 %',
  ],
  [
    'a spike above half of what k6 reaches',
    { perSecond: () => 12, step: { k6: { exitCode: 0, cpuShare: 0.1, limit: 30, samples: '' } } },
    'INCONCLUSIVE',
    'generator',
    '20/s',
    '30/s',
  ],
  [
    'a pod that its node has lost',
    {
      perSecond: () => 12,
      step: { events: [{ ...DIED, kind: 'evicted', detail: 'its node lab does not answer' }] },
    },
    'INCONCLUSIVE',
    'cluster',
    'its node lab does not answer',
  ],
])('%s', (_, truth, verdict, code, ...facts) => {
  const judged = burst(truth);
  const reason = reasons(judged).find((r) => r.code === code);
  if (code === undefined) expect(reasons(judged)).toEqual([]);
  else expect(reason).toBeDefined();
  for (const fact of facts) expect(reason!.text).toContain(fact);
  expect(judged.verdict).toBe(verdict);
});

test('a backlog that comes late has not drained before it came', () => {
  // n8n answers nothing for 20 s from the begin of the spike, and then all at once.
  const recorded = buildBurst({ perSecond: () => 12 });
  const samples = recorded.samples.map((sample, i) => {
    const late = i >= 20 && i < 55 ? 0 : sample.queue!.waiting;
    return { ...sample, queue: { waiting: i === 55 ? 300 : late, active: 0 } };
  });
  const { peak, drainSeconds } = judgeBurst({ ...recorded, samples }).burst!;
  expect(peak).toEqual({ executions: 300, seconds: 35.5 });
  expect(drainSeconds).toBe(23.5);
});

test('a spike that leaves no backlog is drained at once, whatever comes later', () => {
  const recorded = buildBurst({ perSecond: () => 30 });
  const samples = recorded.samples.map((sample, i) => ({ ...sample, queue: { waiting: i === 90 ? 1 : 0, active: 0 } }));
  expect(judgeBurst({ ...recorded, samples }).burst!.drainSeconds).toBe(0.5);
});

test('a burst that was cut off has no verdict but INCONCLUSIVE', () => {
  const none = judgeBurst({
    plan: buildPlan({ rates: BURST }),
    deployment: regularDeployment(),
    steps: [],
    samples: [],
  });
  expect(none).toMatchObject({ verdict: 'INCONCLUSIVE', loads: [{ verdict: 'INCONCLUSIVE', steps: [] }] });
  expect(none.burst).toBeUndefined();
});

test('back is where it stays, not where it passes through', () => {
  const points = [9, 1, 9, 8, 1, 1, 1, 5].map((value, at) => ({ at, value }));
  expect(backAt(points, 1, 0)).toBe(4);
  expect(backAt(points, 1, 4)).toBe(4);
  expect(backAt(points, 1, 5)).toBeUndefined();
  expect(backAt(points.slice(0, 6), 1, 0)).toBeUndefined();
});

test('a spike of which every request fails is no PASS, however few they are of all', () => {
  const burst = { ...BURST, base: 10, spike: 20, spikeSeconds: 1 };
  const judged = (failed: number) =>
    judgeBurst(
      buildBurst({
        burst,
        perSecond: () => 50,
        phases: ({ name, answered }) => (name === 'spike' ? { answered: answered - failed, failed } : {}),
      }),
    );
  expect(judged(0).verdict).toBe('PASS');
  expect(judged(20)).toMatchObject({
    verdict: 'FAIL',
    loads: [{ conclusion: expect.stringMatching(/^spike: 20 of 20/) }],
  });
});

test('a backlog that nobody saw after the spike is neither drained nor full', () => {
  const regular = buildBurst({ perSecond: () => 12, mode: 'regular' });
  const seen = regular.steps.map((step) => ({ ...step, backlog: step.backlog.filter(({ at }) => at < 50) }));
  expect(judgeBurst({ ...regular, steps: seen })).toMatchObject({ verdict: 'INCONCLUSIVE' });
  const none = regular.steps.map((step) => ({ ...step, executions: null, backlog: [] }));
  expect(judgeBurst({ ...regular, steps: none })).toMatchObject({ verdict: 'INCONCLUSIVE' });
  const queue = buildBurst({ perSecond: () => 12 });
  const samples = queue.samples.map(({ queue: _, ...sample }) => sample);
  expect(judgeBurst({ ...queue, samples })).toMatchObject({ verdict: 'INCONCLUSIVE' });
});

/** As recorded, with so many executions of the spike that failed after their answer, in the second after it. */
function withFailed(truth: Truth, count: number) {
  const recorded = buildBurst(truth);
  const [step] = recorded.steps;
  const { from, to } = step!.phases![1]!;
  const backlog = step!.backlog.map((look) => ({ ...look, succeeded: 0, failed: look.at < to ? 0 : count }));
  expect(from).toBeLessThan(to);
  return { ...recorded, steps: [{ ...step!, backlog, executions: { ...step!.executions!, failed: count } }] };
}

test('executions of the spike that fail are not hidden by a long base load', () => {
  const asked = { ...BURST, base: 20, spike: 25, spikeSeconds: 5, recoverySeconds: 600, drainWithinSeconds: 240 };
  const truth: Truth = { burst: asked, perSecond: () => 40, mode: 'regular' };
  expect(judgeBurst(withFailed(truth, 0)).verdict).toBe('PASS');
  const failed = judgeBurst(withFailed(truth, 25));
  expect(failed.verdict).toBe('FAIL');
  expect(reasons(failed)).toContainEqual(expect.objectContaining({ code: 'executions-failed' }));
});

test('a queue to which nothing was added is not that of n8n: the counts tell the backlog', () => {
  const recorded = buildBurst({ burst: { ...BURST, drainWithinSeconds: 30 }, perSecond: () => 8 });
  const other = recorded.samples.map((s) => ({ ...s, queue: { waiting: 0, active: 0, added: 0 } }));
  const verdict = judgeBurst({ ...recorded, samples: other });
  expect(verdict.burst!.backlog.source).toBe('counts');
  expect(verdict.verdict).toBe('FAIL');
});
