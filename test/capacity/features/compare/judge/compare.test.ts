import type { JudgedStep, LoadVerdict, RunVerdict } from '../../../../../capacity/src/model/verdict.js';
import fc from 'fast-check';
import {
  compareRuns,
  outcomeOfRun,
  type CompareOptions,
  type Incomparable,
  type LoadComparison,
} from '../../../../../capacity/src/features/compare/judge/compare.js';
import type { ComparisonOutcome } from '../../../../../capacity/src/features/compare/judge/compare-latency.js';
import { seededRandom } from '../../../../../capacity/src/stats/random.js';
import { buildGoodStep } from '../../../support/index.js';

const load = (changes: Partial<LoadVerdict> = {}): LoadVerdict => ({
  load: 'webhook-ack',
  verdict: 'PASS',
  conclusion: 'because',
  steps: [],
  ...changes,
});
const run = (...loads: LoadVerdict[]): RunVerdict => ({ verdict: 'PASS', loads });
const compare = (a: LoadVerdict, b: LoadVerdict, options: CompareOptions = { noise: 0.05, latencyNoise: 0.05 }) =>
  compareRuns(run(a), run(b), options);

/** It does not come back from an overload: that is its capacity, whatever held and broke before. */
const collapsed = (collapsedTo: number, changes: Partial<LoadVerdict> = {}) =>
  load({
    ...{ capacity: collapsedTo, broken: 74 },
    overload: { collapsedTo, deaths: [] } as unknown as NonNullable<LoadVerdict['overload']>,
    ...changes,
  });

/** Held so much, and broke at so much more. */
const held = (capacity: number, gap = 0.1) => load({ capacity, broken: capacity * (1 + gap) });

/** The same, and requests fail for ever after an overload. */
const failing = (capacity: number): LoadVerdict => ({
  ...held(capacity),
  overload: { failsOn: 0.3, deaths: [] } as unknown as NonNullable<LoadVerdict['overload']>,
});

describe('capacities', () => {
  test.each<[string, LoadVerdict, LoadVerdict, Partial<LoadComparison>]>([
    ['twice as much', held(10), held(20), { outcome: 'better', a: 10, b: 20, difference: 1 }],
    ['half as much', held(20), held(10), { outcome: 'worse', difference: -0.5 }],
    ['the same', held(20), held(20), { outcome: 'tie', difference: 0 }],
    ['within the noise', held(100, 0.01), held(104, 0.01), { outcome: 'tie', band: 0.05 }],
    ['beyond the noise', held(100, 0.01), held(106, 0.01), { outcome: 'better', band: 0.05 }],
    ['within what the search could tell', held(10, 0.2), held(11.9, 0.05), { outcome: 'tie' }],
    ['proved apart, however coarse the better run', held(35, 0.7), held(21, 0.05), { outcome: 'worse' }],
    [
      'at the edge of the band',
      load({ capacity: 10, broken: 12 }),
      load({ capacity: 12, broken: 14 }),
      { outcome: 'tie' },
    ],
    ['one that held nothing', load({ broken: 5, verdict: 'FAIL' }), held(10), { outcome: 'better', b: 10 }],
    ['nothing held any more', held(10), load({ broken: 5, verdict: 'FAIL' }), { outcome: 'worse', a: 10 }],
    ['less than what was never broken', load({ capacity: 40 }), held(10), { outcome: 'worse', difference: -0.75 }],
    ['failing for ever after an overload', held(20), failing(20), { outcome: 'worse' }],
    [
      'collapsed after an overload',
      load({ capacity: 64, broken: 74 }),
      collapsed(20),
      { outcome: 'worse', a: 64, b: 20 },
    ],
    [
      'a rate that was asked for fails as it collapses',
      held(20),
      collapsed(10, { capacity: 20, verdict: 'FAIL' }),
      { outcome: 'worse' },
    ],
    [
      'died between steps, and one that proved no rate',
      { ...held(20), verdict: 'FAIL', failsAtAnyRate: true, conclusion: 'main-0 died' },
      load({ broken: 6, verdict: 'INCONCLUSIVE' }),
      { outcome: 'unknown', a: 20, reason: 'A failed: main-0 died; B is INCONCLUSIVE: because' },
    ],
    ['both failing for ever after an overload', failing(20), failing(10), { outcome: 'unknown' }],
    ['below all that was tried', load({ capacity: 38, broken: 39 }), load({ capacity: 42 }), { outcome: 'better' }],
    [
      'all that was tried, and now less',
      load({ capacity: 42 }),
      load({ capacity: 38, broken: 39 }),
      { outcome: 'worse' },
    ],
    ['as much as was tried, twice', load({ capacity: 40 }), load({ capacity: 40 }), { outcome: 'tie' }],
  ])('%s', (_, a, b, expected) => {
    const { loads, notComparable } = compare(a, b);
    expect(notComparable).toEqual([]);
    expect(loads).toEqual([expect.objectContaining({ load: 'webhook-ack', ...expected })]);
  });

  test.each<[string, LoadVerdict, LoadVerdict, Incomparable['code'], string]>([
    ['one that was never broken might take as much', load({ capacity: 10 }), held(20), 'none-broke', 'A'],
    [
      'one that was never broken, and one that broke above its highest rate',
      load({ capacity: 38, broken: 42 }),
      load({ capacity: 40 }),
      'none-broke',
      'undecided',
    ],
    ['one broke where the other one held', load({ capacity: 26 }), held(20, 0.3), 'none-broke', 'undecided'],
    ['one broke within the noise', load({ capacity: 40 }), load({ capacity: 38, broken: 39.5 }), 'none-broke', '39.5'],
    ['as much, and one never broke', load({ capacity: 40 }), held(40), 'none-broke', 'undecided'],
    ['one that could not be judged', held(10), load({ verdict: 'INCONCLUSIVE' }), 'inconclusive', 'because'],
    ['one that may drift in a soak', held(10), load({ capacity: 10, verdict: 'INCONCLUSIVE' }), 'inconclusive', 'B'],
    ['neither held anything', load({ broken: 5 }), load({ broken: 5 }), 'none-held', 'neither'],
    [
      'one held no rate, and broke within the noise of what the other held',
      load({ broken: 26, verdict: 'FAIL' }),
      load({ capacity: 26 }),
      'too-coarse',
      'below 26/s',
    ],
    ['the same the other way', held(10.4), load({ broken: 10, verdict: 'FAIL' }), 'too-coarse', 'B'],
    ['one broke above what the other held', load({ broken: 20 }), held(10), 'too-coarse', 'A'],
    [
      'a closed loop',
      load({ steps: [{ step: { ...buildGoodStep(), rate: undefined } } as unknown as JudgedStep] }),
      held(10),
      'closed-loop',
      'A',
    ],
  ])('not comparable: %s', (_, a, b, code, fact) => {
    const { loads, notComparable } = compare(a, b);
    expect(loads).toEqual([]);
    expect(notComparable).toEqual([{ load: 'webhook-ack', code, reason: expect.stringContaining(fact) as string }]);
  });

  test.each<[string, LoadVerdict, LoadVerdict, Partial<LoadComparison>]>([
    ['twice as much may be chance', held(10), held(20), { outcome: 'unknown', a: 10, b: 20, difference: 1 }],
    ['half as much', held(20), held(10), { outcome: 'unknown' }],
    ['one that held nothing', load({ broken: 5, verdict: 'FAIL' }), held(10), { outcome: 'unknown' }],
    ['within what the search could tell', held(10, 0.2), held(11.9, 0.05), { outcome: 'tie' }],
  ])('without measured noise: %s', (_, a, b, expected) => {
    expect(compare(a, b, {}).loads).toEqual([expect.objectContaining(expected)]);
  });

  test('one unknown load keeps the run from being better, not from being worse', () => {
    const of = (...outcomes: ComparisonOutcome[]) =>
      outcomeOfRun({ loads: outcomes.map((outcome) => ({ load: 'x', outcome, band: 0 })), notComparable: [] });
    expect(of('better', 'unknown')).toBe('unknown');
    expect(of('worse', 'unknown')).toBe('worse');
    expect(of('better', 'tie')).toBe('better');
  });

  test('loads that only one has', () => {
    const a = run(held(10), load({ load: 'cpu-burn', capacity: 1 }));
    const b = run(held(10), load({ load: 'webhook-wait', capacity: 1 }));
    expect(compareRuns(a, b, { noise: 0.1 }).notComparable).toMatchObject([
      { load: 'cpu-burn', code: 'one-sided', reason: expect.stringContaining('A') },
      { load: 'webhook-wait', code: 'one-sided', reason: expect.stringContaining('B') },
    ]);
  });

  test.each([-0.1, Number.NaN])('a noise of %d is refused', (noise) => {
    expect(() => compare(held(1), held(1), { noise })).toThrow(RangeError);
  });
});

describe('properties', () => {
  const anyLoad = fc
    .record({
      capacity: fc.option(fc.double({ min: 0.1, max: 1000, noNaN: true }), { nil: undefined }),
      gap: fc.option(fc.double({ min: 0.01, max: 1, noNaN: true }), { nil: undefined }),
    })
    .map(({ capacity, gap }) =>
      load({
        ...(capacity !== undefined && { capacity }),
        ...(gap !== undefined && { broken: (capacity ?? 5) * (1 + gap) }),
      }),
    );
  const noise = fc.double({ min: 0, max: 0.5, noNaN: true });

  test('what is better one way is worse the other way', () => {
    const turned = { better: 'worse', worse: 'better', tie: 'tie', unknown: 'unknown' };
    fc.assert(
      fc.property(anyLoad, anyLoad, noise, (a, b, n) => {
        const there = compare(a, b, { noise: n }).loads[0]?.outcome;
        expect(compare(b, a, { noise: n }).loads[0]?.outcome).toBe(there && turned[there]);
      }),
    );
  });

  test('nothing is better than itself', () => {
    fc.assert(
      fc.property(anyLoad, noise, (a, n) => {
        expect(compare(a, a, { noise: n }).loads[0]?.outcome ?? 'tie').toBe('tie');
      }),
    );
  });

  test('more noise never makes a difference of a tie', () => {
    fc.assert(
      fc.property(anyLoad, anyLoad, noise, noise, (a, b, n, more) => {
        fc.pre(compare(a, b, { noise: n }).loads[0]?.outcome === 'tie');
        expect(compare(a, b, { noise: n + more }).loads[0]?.outcome).toBe('tie');
      }),
    );
  });
});

describe('latency at a common rate', () => {
  const step = (rate: number, p95: number, verdict: 'PASS' | 'FAIL' = 'PASS'): JudgedStep => ({
    step: buildGoodStep({ rate, summary: { latency: { p50: 0.05, p95, p99: 0.5, max: 1 } } }),
    judged: { verdict, reasons: [], errorRate: 0, errorRateUpperBound: 0 },
  });
  const withSteps = (...steps: JudgedStep[]) => load({ capacity: 20, broken: 21, steps });
  const latency = (a: LoadVerdict, b: LoadVerdict, options?: CompareOptions) =>
    compare(a, b, options).loads[0]!.latency;

  /** Sixty seconds of twenty answers, around so many seconds. */
  const answers = (around: number, seed: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: 60 }, () => Array.from({ length: 20 }, () => around * (1 + 0.2 * random.uniform())));
  };

  test('at the highest that both sustained', () => {
    const a = withSteps(step(5, 0.1), step(10, 0.2), step(20, 0.3));
    const b = withSteps(step(5, 0.1), step(10, 0.1), step(20, 3, 'FAIL'));
    expect(latency(a, b)).toEqual({ rate: 10, a: 0.2, b: 0.1, difference: -0.1, outcome: 'better' });
  });

  test.each<[string, number, number, string]>([
    ['slower', 0.1, 0.2, 'worse'],
    ['within the noise', 0.2, 0.208, 'tie'],
    ['a few milliseconds, however large their share', 0.001, 0.003, 'tie'],
  ])('%s', (_, a, b, outcome) => {
    expect(latency(withSteps(step(10, a)), withSteps(step(10, b)))!.outcome).toBe(outcome);
  });

  test('none without a rate in common', () => {
    expect(latency(withSteps(step(5, 0.1)), withSteps(step(6, 0.1)))).toBeUndefined();
  });

  test.each([
    [0.2, 'unknown'],
    [0.1, 'tie'],
  ])('without measured noise, 100 ms against %d s', (p95, outcome) => {
    expect(latency(withSteps(step(10, 0.1)), withSteps(step(10, p95)), { noise: 0.05 })!.outcome).toBe(outcome);
  });

  test('with the answers: an interval that holds the difference, and decides', () => {
    const [a, b] = [step(10, 0.118), step(10, 0.139)];
    const slower = new Map([
      [a.step, answers(0.1, 1)],
      [b.step, answers(0.12, 2)],
    ]);
    const told = latency(withSteps(a), withSteps(b), { noise: 0.05, latencyNoise: 0.05, answers: slower })!;
    expect(told.outcome).toBe('worse');
    expect(told.interval!.low).toBeGreaterThan(0.015);
    expect(told.interval!.high).toBeLessThan(0.03);
    const same = new Map([
      [a.step, answers(0.1, 1)],
      [b.step, answers(0.1, 2)],
    ]);
    const tie = latency(withSteps(a), withSteps(b), { noise: 0.05, latencyNoise: 0.05, answers: same })!;
    expect(tie.outcome).toBe('tie');
    expect(tie.interval!.low).toBeLessThan(0);
    expect(tie.interval!.high).toBeGreaterThan(0);
  });

  test('seconds without an answer are no answers of 0 s', () => {
    const [a, b] = [step(10, 0.1), step(10, 0.2)];
    const answered = (latency: number) => Array.from({ length: 60 }, (_, i) => (i % 2 ? [] : [latency]));
    const both = new Map([
      [a.step, answered(0.1)],
      [b.step, answered(0.2)],
    ]);
    const { interval } = latency(withSteps(a), withSteps(b), { noise: 0.05, latencyNoise: 0.05, answers: both })!;
    expect(interval!.low).toBeCloseTo(0.1, 9);
    expect(interval!.high).toBeCloseTo(0.1, 9);
  });
});
