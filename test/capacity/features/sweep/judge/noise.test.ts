import fc from 'fast-check';
import { noiseBand, computeNoise } from '../../../../../capacity/src/features/sweep/judge/noise.js';
import { seededRandom } from '../../../../../capacity/src/stats/random.js';
import { judgeStep } from '../../../../../capacity/src/judge/step.js';
import { buildGoodStep } from '../../../support/index.js';

const SLO = { p95: 0.8, errors: 0.05 };
const judged = (answered: number, changes: Parameters<typeof buildGoodStep>[0] = {}) => {
  const step = buildGoodStep({ clients: 8, ...changes, summary: { answered, ...changes.summary } });
  return { step, judged: judgeStep(step, SLO) };
};

/** Share of 4000 pairs of single measurements that the band of `runs` measurements tells apart; B is so many times A. */
function toldApart(deviation: number, runs: number, times: number): number {
  const random = seededRandom(1000 * runs + times);
  const measure = () => 50 * Math.exp(deviation * random.normal());
  const pairs = Array.from({ length: 4000 }, () => {
    const band = noiseBand(Array.from({ length: runs }, measure));
    const [a, b] = [measure(), times * measure()];
    return Math.max(a, b) > Math.min(a, b) * (1 + band);
  });
  return pairs.filter(Boolean).length / pairs.length;
}

// 4000 pairs tell a share of 5 % to within 0.7 % (two standard deviations).
test.each([
  [0.01, 3],
  [0.01, 5],
  [0.05, 5],
  [0.2, 10],
])('with a deviation of %d, %d runs tell the same configuration apart in 5 %% of the cases', (deviation, runs) => {
  const share = toldApart(deviation, runs, 1);
  expect(share).toBeGreaterThan(0.043);
  expect(share).toBeLessThan(0.057);
});

test('what is really different is told apart', () => {
  expect(toldApart(0.01, 5, 1.1)).toBeGreaterThan(0.95);
  expect(toldApart(0.01, 5, 1.02)).toBeLessThan(0.5);
});

test('by the tables of Student’s t: 12.706 and 2.776', () => {
  const s = Math.SQRT1_2 * Math.log(1.02);
  expect(Math.log1p(noiseBand([100, 102]))).toBeCloseTo(12.706 * Math.SQRT2 * s, 4);
  const five = [1, Math.E, 1, Math.E, 1];
  expect(Math.log1p(noiseBand(five))).toBeCloseTo(2.776 * Math.SQRT2 * Math.sqrt(0.3), 3);
});

test('no unit changes it, and nothing differs from itself', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.1, max: 10, noNaN: true }), { minLength: 2, maxLength: 8 }),
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      (values, unit) => {
        const band = Math.log1p(noiseBand(values));
        expect(Math.log1p(noiseBand(values.map((v) => v * unit)))).toBeCloseTo(band, 6);
        expect(band).toBeGreaterThanOrEqual(0);
      },
    ),
  );
  expect(noiseBand([7, 7, 7])).toBeCloseTo(0, 9);
  expect(() => noiseBand([7])).toThrow(RangeError);
});

describe('of steps', () => {
  test('what the same clients got answered, and how quickly', () => {
    const slow = { latency: { p50: 0.1, p95: 0.22, p99: 0.3, max: 0.4 } };
    const quick = { latency: { p50: 0.1, p95: 0.2, p99: 0.3, max: 0.4 } };
    expect(computeNoise([judged(200, { summary: quick }), judged(210, { summary: slow })])).toEqual({
      runs: 2,
      rate: expect.closeTo(noiseBand([20, 21])),
      latency: noiseBand([0.2, 0.22]),
    });
  });

  test('a step that is INCONCLUSIVE tells nothing, and one alone neither', () => {
    const invalid = judged(100, { k6: { exitCode: 0, cpuShare: 0.99, samples: '' } });
    expect(computeNoise([judged(200), invalid])).toBeUndefined();
    expect(computeNoise([judged(200), invalid, judged(200)])).toMatchObject({ runs: 2, rate: 0 });
  });
});
