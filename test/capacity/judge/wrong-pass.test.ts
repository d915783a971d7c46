import { estimateGrowth, outlook } from '../../../capacity/src/judge/drift/growth.js';
import { judgeClaims } from '../../../capacity/src/judge/objectives.js';
import { judgeRun, judgeSteps } from '../../../capacity/src/judge/run.js';
import { bracket } from '../../../capacity/src/judge/search.js';
import { judgeStep } from '../../../capacity/src/judge/step.js';
import { standingAt, throughput } from '../../../capacity/src/judge/sustained.js';
import { compareRuns, outcomeOfRun } from '../../../capacity/src/features/compare/judge/compare.js';
import type { InstanceEvent } from '../../../capacity/src/model/events.js';
import { usageBetween } from '../../../capacity/src/observe/usage.js';
import type { StepRecord } from '../../../capacity/src/model/step.js';
import type { SweepOutcome, SweepRecord } from '../../../capacity/src/features/sweep/record.js';
import type { LoadVerdict } from '../../../capacity/src/model/verdict.js';
import { judgeSweep } from '../../../capacity/src/features/sweep/conclude.js';
import { trialFigures } from '../../../capacity/src/features/trial/figures.js';
import { buildGoodStep, buildPassingRun, buildPlan, type StepChanges } from '../support/index.js';

/** Deployments that do not hold, each of which once passed. */
const SLO = { p95: 0.8, errors: 0.01 };
const TARGET = buildPlan({ rates: { kind: 'target', rate: 20, headroom: 1 }, slo: SLO });
const DEATH: InstanceEvent = {
  ...{ at: 1_001_000, instance: 'main-0', component: 'main', kind: 'died', reason: 'OOMKilled', detail: '' },
};

/** A step of two minutes at 20/s, with n8n's counts as given. */
const long = (executions: (at: number) => number, changes: StepChanges = {}): StepRecord =>
  buildGoodStep({
    measuredTo: 1_120_000,
    endedAt: 1_122_000,
    backlog: Array.from({ length: 120 }, (_, at) => ({ at, executions: executions(at) })),
    executions: { sent: 2460, unproved: 0, accepted: 2460, completed: 2460, failed: 0, drainSeconds: 1 },
    ...changes,
    summary: { offered: 2400, answered: 2400, ...changes.summary },
  });

test('a step in which n8n dies decides, however long the others held', () => {
  const held = { rate: 20, sustained: true, seconds: 120 };
  expect(bracket([held, held, { rate: 20, sustained: false, clear: true, seconds: 20 }])).toEqual({ broken: 20 });
  expect(bracket([held, held, { rate: 20, sustained: false, seconds: 20 }])).toEqual({ held: 20 });
});

test('executions stop in the last quarter of a step, and all end in the drain', () => {
  const stops = long((at) => Math.max(1, 20 * (at - 90)));
  expect(judgeStep(stops, SLO)).toMatchObject({ verdict: 'FAIL', reasons: [{ code: 'backlog' }] });
  const backlogOf = (step: StepRecord) => judgeClaims([step], SLO).find((c) => c.objective === 'backlog')!.state;
  expect(backlogOf(long((at) => (at < 100 ? 0 : 300)))).toBe('open');
  // As many as were worked off before are no sign of it, nor is a single one.
  const few = (executions: (at: number) => number) => long(executions, { summary: { offered: 200, answered: 200 } });
  expect(backlogOf(few((at) => (at === 50 || at >= 108 ? 5 : 0)))).toBe('held');
  expect(backlogOf(few((at) => (at === 50 ? 5 : at >= 108 ? 6 : 0)))).toBe('open');
  // One look at a backlog allows no pile at the end that is as large: nothing was executed there.
  expect(backlogOf(long((at) => (at === 50 ? 300 : Math.max(0, 25 * (at - 107)))))).toBe('open');
  expect(backlogOf(few((at) => (at < 108 ? 0 : 1)))).toBe('held');
  // Twelve looks at two executions a second, as a running n8n showed them; and the same if it then executes nothing.
  const short = (waiting: number[]) =>
    buildGoodStep({
      measuredTo: 1_012_000,
      backlog: waiting.map((executions, at) => ({ at, executions })),
      summary: { offered: 24, answered: 24 },
    });
  expect(backlogOf(short([1, 0, 1, 0, 0, 0, 2, 1, 0, 0, 3, 3]))).toBe('held');
  expect(backlogOf(short([1, 0, 1, 0, 0, 0, 0, 0, 0, 2, 4, 6]))).toBe('open');
});

test('the executions of the second half of a step are not counted', () => {
  const counted = long(() => 1);
  const half = { ...counted, backlog: counted.backlog.slice(0, 62) };
  expect(judgeStep(counted, SLO).verdict).toBe('PASS');
  expect(judgeStep(half, SLO)).toMatchObject({ verdict: 'INCONCLUSIVE', reasons: [{ code: 'count-unreadable' }] });
});

test('executions fail after their answer, and as many requests were refused', () => {
  const executions = { sent: 2710, unproved: 0, accepted: 2460, completed: 2460, failed: 250, drainSeconds: 1 };
  expect(
    judgeStep(
      long(() => 1, { executions }),
      SLO,
    ),
  ).toMatchObject({ verdict: 'FAIL', reasons: [{ code: 'errors' }] });
});

test('clients are answered at once, and executions pile up', () => {
  /** 8 clients, 95 answers a second, of which 64 are executed. */
  const closed = buildGoodStep({
    rate: undefined,
    clients: 8,
    measuredTo: 1_060_000,
    backlog: Array.from({ length: 60 }, (_, at) => ({ at, executions: 31 * at, succeeded: 64 * at })),
    executions: { sent: 5700, unproved: 0, accepted: 5700, completed: 5700, failed: 0, drainSeconds: 30 },
    summary: { offered: 5700, answered: 5700 },
  });
  expect(judgeStep(closed, SLO)).toMatchObject({ verdict: 'FAIL', reasons: [{ code: 'backlog' }] });
  expect(throughput(closed)).toBeCloseTo(64);
  const waited = { ...closed, backlog: closed.backlog.map((look) => ({ ...look, executions: 8 })) };
  expect(judgeStep(waited, SLO).verdict).toBe('PASS');
  expect(throughput(waited)).toBeCloseTo(95);
});

test('it has more CPU than its limit, which is not enforced', () => {
  const above = { cpuAboveLimit: [{ instance: 'main-0', cores: 1.8, limitCores: 1 }] };
  expect(judgeStep(buildGoodStep(above), SLO)).toMatchObject({
    verdict: 'INCONCLUSIVE',
    reasons: [{ code: 'cpu-limit' }],
  });
  // More CPU did not help: what fails with it fails without it.
  const failing = buildGoodStep({ ...above, summary: { answered: 300, failed: 100, failures: { 'HTTP 500': 100 } } });
  expect(judgeStep(failing, SLO).verdict).toBe('FAIL');
});

test('a heap that is full all the time is about to end n8n, whatever its container has left', () => {
  const heapFull = [{ instance: 'main-0', leastBytes: 1030 * 2 ** 20, limitBytes: 1051 * 2 ** 20 }];
  expect(judgeStep(buildGoodStep({ heapFull }), SLO)).toMatchObject({ verdict: 'FAIL', reasons: [{ code: 'memory' }] });
});

test.each([
  ['fail', { started: 2460, completed: 2460, failed: 2460 }, 'FAIL', 'errors'],
  ['never end', { started: 2460, completed: 100, failed: 0 }, 'FAIL', 'completed'],
  ['are not counted', null, 'INCONCLUSIVE', 'count-unreadable'],
  ['are not seen to start', { started: 0, completed: 0, failed: 0 }, 'INCONCLUSIVE', 'count-unreadable'],
  ['end', { started: 2460, completed: 2460, failed: 0 }, 'PASS', undefined],
])('asynchronous sub-workflows %s', (_, asynchronous, verdict, code) => {
  const step = long(() => 1);
  const judged = judgeStep({ ...step, executions: { ...step.executions!, asynchronous } }, SLO);
  expect([judged.verdict, judged.reasons[0]?.code]).toEqual([verdict, code]);
});

test('memory begins to rise late in a soak', () => {
  const hour = 3_600_000;
  const points = (mib: (share: number) => number) =>
    Array.from({ length: 360 }, (_, i) => ({ at: (i / 360) * hour, value: mib(i / 360) }));
  const span = { from: 0, to: hour };
  const of = (mib: (share: number) => number) => {
    const growth = estimateGrowth(points(mib), span, (values) => Math.min(...values))!;
    return outlook(growth, 300, 2, 0);
  };
  expect(of(() => 300)).toMatchObject({ verdict: 'stable' });
  for (const from of [0.75, 0.9]) {
    const late = of((share) => 300 + Math.max(0, share - from) * 1000);
    expect(late.verdict).not.toBe('stable');
    expect(late.hoursToLimit).toBeLessThan(2);
  }
});

describe('the end of a run', () => {
  const held = long(() => 1);
  const asked = { ...TARGET, overload: true };
  const records = (steps: StepRecord[], events: InstanceEvent[] = []) => {
    const { run } = buildPassingRun();
    return { run: { ...run, plan: asked }, steps, samples: [], rows: [], events };
  };
  /** An overload after which everything is as before. */
  const overload = (changes: Partial<StepRecord> = {}): StepRecord => {
    const phase = { answered: 1800, served: 1800, failed: 0, failures: {}, latency: null };
    const counts = Array.from({ length: 50 }, (_, at) => ({ at, executions: 0, waiting: 0, succeeded: 40 * at }));
    const step = long(() => 1, { index: 1, measuredFrom: 1_130_000, measuredTo: 1_180_000 });
    const seconds = counts.map(({ at }) => ({ at, sent: 20, answered: 20, failed: 0, p50: 0.05 }));
    return {
      ...step,
      summary: { ...step.summary, seconds },
      rate: undefined,
      phases: [
        { ...phase, name: 'overload', rate: 60, from: 0, to: 30 },
        { ...phase, name: 'return', rate: 20, from: 30, to: 50, answered: 400, served: 400 },
      ],
      backlog: counts,
      ...changes,
    };
  };

  test('an overload that is missing is no PASS', () => {
    expect(judgeRun(records([held])).verdict).toBe('INCONCLUSIVE');
    expect(judgeRun(records([held, overload()])).verdict).toBe('PASS');
  });

  test('a target is not met by what dies under three times as much', () => {
    const dies = overload({ events: [{ ...DEATH, at: 1_140_000 }] });
    expect(judgeRun(records([held, dies]))).toMatchObject({
      verdict: 'FAIL',
      loads: [{ overload: { deaths: [/./] } }],
    });
  });

  test('a target is not met by what loses accepted executions under three times as much, though it is back', () => {
    const { executions } = held;
    const loses = overload({ executions: { ...executions!, completed: executions!.accepted - 20 } });
    expect(judgeRun(records([held, loses]))).toMatchObject({
      verdict: 'FAIL',
      loads: [{ overload: { unended: expect.stringMatching(/^20 of /), backSeconds: expect.any(Number) } }],
    });
  });

  test('an overload that cannot be judged, after which n8n is not seen to be back, is no PASS', () => {
    // The count is read in the first five seconds only, and one of 400 requests of the return is answered.
    const [crowd, after] = overload().phases!;
    const phases = [
      crowd!,
      { ...after!, answered: 1, served: 1, failed: 399, failures: { 'no answer (time-out)': 399 } },
    ];
    const { summary, backlog } = overload();
    const { p50: _, ...silent } = { ...summary.seconds[0]!, answered: 0, failed: 20 };
    const seconds = summary.seconds.map((second) => (second.at < 30 ? second : { ...silent, at: second.at }));
    const hangs = overload({ phases, summary: { ...summary, seconds }, backlog: backlog.slice(0, 5) });
    expect(judgeRun(records([held, hangs]))).toMatchObject({
      verdict: 'INCONCLUSIVE',
      loads: [{ overload: { unclear: expect.any(String) } }],
    });
    // One that was seen to be back passes, though its executions were counted too seldom.
    const seldom = overload({ backlog: overload().backlog.filter(({ at }) => at < 5 || at >= 30) });
    expect(judgeRun(records([held, seldom])).verdict).toBe('PASS');
  });

  test('an overload that was not offered is no PASS, though nothing had to come back', () => {
    const [crowd, after] = overload().phases!;
    const few = overload({ phases: [{ ...crowd!, answered: 300, served: 300 }, after!] });
    const busy = overload({ k6: { ...held.k6, cpuShare: 0.95 } });
    for (const step of [few, busy])
      expect(judgeRun(records([held, step]))).toMatchObject({
        verdict: 'INCONCLUSIVE',
        loads: [{ overload: { notOffered: true, backSeconds: expect.any(Number) } }],
      });
  });

  test('a death that prevented the overload is a FAIL', () => {
    expect(judgeRun(records([held], [{ ...DEATH, at: held.endedAt + 1000 }])).verdict).toBe('FAIL');
  });

  test('a death between two steps belongs to the load', () => {
    const between = { ...DEATH, at: held.endedAt + 1000 };
    const known = { ...DEATH, at: 1_150_000 };
    expect(judgeRun(records([held, overload()], [between])).verdict).toBe('FAIL');
    // After a rate that broke it is one of that rate.
    const broke = long(() => 1, {
      ...{ rate: 60, index: 1, measuredFrom: 1_130_000, measuredTo: 1_250_000, endedAt: 1_252_000 },
      summary: { offered: 7200, answered: 6000, failed: 1200 },
    });
    const search = records([held, broke], [{ ...DEATH, at: 1_260_000 }]);
    const rates = { ...search.run.plan, rates: buildPlan().rates, overload: false };
    expect(judgeRun({ ...search, run: { ...search.run, plan: rates } })).toMatchObject({
      verdict: 'CAPACITY',
      loads: [{ capacity: 20, broken: 60 }],
    });
    // What dies after an overload, while the next load is prepared, dies of it; only a target is to survive it.
    const later = records([held, overload()], [{ ...known, at: 1_190_000 }]);
    expect(judgeRun(later)).toMatchObject({
      verdict: 'FAIL',
      loads: [{ conclusion: expect.stringContaining('died after the overload') }],
    });
    const low = { ...later.run.plan, rates: { kind: 'rates' as const, rates: [20] } };
    expect(judgeRun({ ...later, run: { ...later.run, plan: low } }).verdict).toBe('PASS');
  });
});

test('what completes nothing after an overload has no capacity', () => {
  const search = { ...buildPlan(), slo: SLO, overload: true };
  const steps = [long(() => 1)];
  const [load] = judgeSteps(search, steps).loads;
  expect(load!.verdict).toBe('CAPACITY');
  const nothing = { ...load!, overload: { collapsedTo: 0 } } as unknown as LoadVerdict;
  expect(standingAt(nothing, 10)).toBe('broken');
  expect(standingAt({ ...load!, verdict: 'FAIL' }, 10)).toBe('unknown');
  const failing = { ...load!, overload: { failsOn: 0.3, returnRate: 16 } } as unknown as LoadVerdict;
  expect([standingAt(failing, 18), standingAt(failing, 10)]).toEqual(['broken', 'unknown']);
  expect(standingAt(load!, 10)).toBe('held');
});

test('n8n that dies between two steps, or loses executions, sustains no lower rate either', () => {
  const search = { ...buildPlan(), slo: SLO, overload: false };
  const held = long(() => 1);
  const later = { index: 1, rate: 40, measuredFrom: 1_200_000, measuredTo: 1_320_000 };
  const broken = long(() => 1, { ...later, summary: { offered: 4800, answered: 4000, failed: 800 } });
  const { run } = buildPassingRun();
  const records = (steps: StepRecord[], events: InstanceEvent[]) => ({
    ...{ run: { ...run, plan: search }, samples: [], rows: [] },
    steps: steps.map((step) => ({ ...step, load: search.loads[0]!.name })),
    events,
  });
  const standing = (steps: StepRecord[], events: InstanceEvent[] = []) =>
    standingAt(judgeRun(records(steps, events)).loads[0]!, 10);
  expect(standing([held, broken])).toBe('held');
  expect(standing([held, broken], [{ ...DEATH, at: held.endedAt + 1000 }])).toBe('broken');
  const executions = { sent: 4860, unproved: 0, accepted: 4860, completed: 4800, failed: 0, drainSeconds: 30 };
  const loses = long(() => 1, { ...later, executions, summary: { offered: 4800, answered: 4800 } });
  expect(standing([held, loses])).toBe('broken');
});

test('a workload of a mix of which no request came, or one of few failed, is not proved', () => {
  const part = (answered: number, failed = 0) => ({ answered, failed, slow: {} });
  const verdict = (rare: ReturnType<typeof part>) =>
    judgeSteps(TARGET, [long(() => 1, { summary: { parts: { 'webhook-ack': part(2390), rare } } })]).verdict;
  expect(verdict(part(400))).toBe('PASS');
  expect(verdict(part(0))).toBe('INCONCLUSIVE');
  expect(verdict(part(11, 1))).toBe('INCONCLUSIVE');
});

test('a version whose executions do not end has no throughput to compare', () => {
  const passing = buildPassingRun();
  const { rate: _, ...closed } = buildGoodStep({ load: passing.run.plan.loads[0]!.name });
  const run = (changes: Partial<StepRecord>) => ({
    ...passing,
    events: [],
    steps: [{ ...closed, clients: 20, ...changes } as StepRecord],
  });
  const executions = { sent: 460, unproved: 0, accepted: 460, completed: 0, failed: 0, drainSeconds: 30 };
  expect(trialFigures(run({})).perSecond).toBeDefined();
  expect(trialFigures(run({ executions })).failed).toMatch(/did not end/);
});

test('a run that collapsed is worse than one that did not, and one that decided nothing is no tie', () => {
  const of = (changes: Partial<LoadVerdict>): LoadVerdict => ({
    ...{ load: 'x', verdict: 'PASS', conclusion: '', steps: [], capacity: 20 },
    ...changes,
  });
  const comparison = (a: LoadVerdict[], b: LoadVerdict[]) =>
    compareRuns({ verdict: 'PASS', loads: a }, { verdict: 'PASS', loads: b }, { noise: 0.05 });
  const compared = (a: LoadVerdict[], b: LoadVerdict[]) => outcomeOfRun(comparison(a, b));
  expect(compared([of({})], [of({ verdict: 'FAIL' })])).toBe('worse');
  expect(compared([of({ verdict: 'FAIL' })], [of({})])).toBe('better');
  const dies = { verdict: 'FAIL', broken: 25, failsAtAnyRate: true } as const;
  expect(compared([of({ broken: 25 })], [of(dies)])).toBe('worse');
  expect(compared([of(dies)], [of({ verdict: 'FAIL', broken: 1 })])).toBe('unknown');
  const [failed] = comparison([of({ capacity: 10 })], [of({ verdict: 'FAIL', conclusion: 'loses executions' })]).loads;
  expect(failed).toMatchObject({ a: 10, b: 20, difference: 1, outcome: 'worse', reason: 'B failed: loses executions' });
  const { capacity: _, ...undecided } = of({ load: 'y', verdict: 'INCONCLUSIVE' });
  expect(compared([of({}), of({ load: 'y' })], [of({}), undecided])).toBe('unknown');
});

test('what a run held that failed, or that is not judged to its end, is no capacity of a sweep', () => {
  const candidate = (workers: number) => ({
    ...{ id: `${workers}-workers`, values: { workers }, amounts: { workers }, kind: '[]' },
    cost: { cores: workers, memoryGib: workers, perHour: workers / 10, unlimited: [] },
  });
  const record: SweepRecord = {
    ...{ tool: 'n8n-capacity sweep', startedAt: '2026-11-20T12:00:00.000Z', excluded: [] },
    conditions: { values: 'a', n8n: ['2.41.1'], machine: '2 × any' },
    plan: {
      ...{ name: 'workers', dimensions: { workers: [1, 2] }, explore: 'front', holdSeconds: 60, measure: buildPlan() },
      prices: { cpuHour: 0.03, memoryGibHour: 0.004, currency: 'USD' },
    },
    candidates: [1, 2].map(candidate),
  };
  const outcome = (workers: number, verdict: SweepOutcome['verdict'], capacity: number): SweepOutcome => ({
    ...{
      id: `${workers}-workers`,
      purpose: 'measure',
      verdict,
      capacity,
      conclusion: '',
      loadSeconds: 60,
      seconds: 90,
    },
  });
  const judged = (...outcomes: SweepOutcome[]) => judgeSweep(record, outcomes);
  expect(judged(outcome(1, 'PASS', 10), outcome(2, 'PASS', 20)).verdict).toBe('PASS');
  // It loses executions.
  const loses = judged(outcome(1, 'PASS', 10), outcome(2, 'FAIL', 20));
  expect(loses.rows.map(({ onFront }) => onFront)).toEqual([true, false]);
  expect(judged(outcome(1, 'FAIL', 10), outcome(2, 'FAIL', 20)).verdict).toBe('FAIL');
  // k6 was the limit.
  expect(judged(outcome(1, 'PASS', 10), outcome(2, 'INCONCLUSIVE', 20)).verdict).toBe('INCONCLUSIVE');
  expect(judged(outcome(1, 'PASS', 10)).verdict).toBe('INCONCLUSIVE');
});

test('a step of two days is judged', () => {
  const backlog = Array.from({ length: 200_000 }, (_, at) => ({ at, executions: 1 }));
  const days = buildGoodStep({
    measuredTo: 1_000_000 + 200_000_000,
    backlog,
    summary: { offered: 4_000_000, answered: 4_000_000 },
  });
  expect(judgeStep(days, SLO).reasons.map(({ code }) => code)).not.toContain('backlog');
  const instances = [{ name: 'main-0', rssBytes: 1, cpuSeconds: 1, processes: 1, workingSetBytes: 5 }];
  const samples = backlog.map(({ at }) => ({ at, instances }));
  expect(usageBetween(samples, 0, Infinity).get('main-0')!.peakMemoryBytes).toBe(5);
});

test('CPU is the mean over the time, whatever the looks are apart, and a restart is no idle time', () => {
  const sample = (at: number, cpuSeconds: number) => ({
    at: at * 1000,
    instances: [{ name: 'main-0', rssBytes: 1, cpuSeconds, processes: 1 }],
  });
  const mean = (...samples: ReturnType<typeof sample>[]) => usageBetween(samples, 0, Infinity).get('main-0')!.meanCores;
  expect(mean(sample(0, 0), sample(1, 1), sample(2, 2), sample(7, 12))).toBeCloseTo(12 / 7);
  expect(mean(sample(0, 0), sample(1, 1), sample(2, 0.1), sample(3, 1.1))).toBeCloseTo(1);
});
