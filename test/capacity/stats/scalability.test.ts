import fc from 'fast-check';
import { seededRandom } from '../../../capacity/src/stats/random.js';
import {
  fitScalability,
  uslPeak,
  uslRate,
  type Estimate,
  type Refusal,
  type ScalabilityFit,
  type ScalePoint,
  type UslCoefficients,
} from '../../../capacity/src/stats/scalability.js';

const WORKERS = [1, 2, 3, 4, 6, 8, 12, 16];

const RUNS = 60;
const COVERED = 0.9 * RUNS;

/** Capacities that follow the law, each off by a relative error of this standard deviation. */
function simulateMeasurements(law: UslCoefficients, noise = 0, seed = 1, workers = WORKERS): ScalePoint[] {
  const random = seededRandom(seed);
  return workers.map((n) => ({ workers: n, rate: uslRate(law, n) * (1 + noise * random.normal()) }));
}

function fitOrThrow(points: ScalePoint[], options?: Parameters<typeof fitScalability>[1]): ScalabilityFit {
  const fit = fitScalability(points, options);
  if ('refused' in fit) throw new Error(fit.refused);
  return fit;
}

const isWithin = ({ interval }: Estimate, truth: number) =>
  interval!.low <= truth && truth <= (interval!.high ?? Number.POSITIVE_INFINITY);

const laws: [string, UslCoefficients][] = [
  ['linear', { lambda: 20, sigma: 0, kappa: 0 }],
  ["contention alone (Amdahl's law)", { lambda: 20, sigma: 0.1, kappa: 0 }],
  ['a peak at 10 workers', { lambda: 35, sigma: 0.05, kappa: 0.0095 }],
  ['a peak past the measured range', { lambda: 4, sigma: 0.02, kappa: 0.0005 }],
];

describe('recovery', () => {
  test.each(laws)('%s: fitScalability recovers the coefficients from exact data', (_, law) => {
    const { lambda, sigma, kappa } = fitOrThrow(simulateMeasurements(law));
    expect(lambda.value).toBeCloseTo(law.lambda, 6);
    expect(sigma.value).toBeCloseTo(law.sigma, 6);
    expect(kappa.value).toBeCloseTo(law.kappa, 6);
  });

  test.each(laws)('%s: with 3 %% noise, the interval contains the truth in at least 90 %% of the runs', (_, law) => {
    const fits = Array.from({ length: RUNS }, (__, seed) => fitOrThrow(simulateMeasurements(law, 0.03, seed + 1)));
    const hits = (of: (f: ScalabilityFit) => boolean) => fits.filter(of).length;
    expect(hits((f) => isWithin(f.lambda, law.lambda))).toBeGreaterThanOrEqual(COVERED);
    expect(hits((f) => isWithin(f.sigma, law.sigma))).toBeGreaterThanOrEqual(COVERED);
    expect(hits((f) => isWithin(f.kappa, law.kappa))).toBeGreaterThanOrEqual(COVERED);
    expect(hits((f) => isWithin(f.predictions[0]!, uslRate(law, 32)))).toBeGreaterThanOrEqual(COVERED);
  });

  test('the intervals of five points (two degrees of freedom) still contain the truth', () => {
    const law = laws[2]![1];
    const fits = Array.from({ length: RUNS }, (_, seed) =>
      fitOrThrow(simulateMeasurements(law, 0.03, seed + 1, [1, 2, 4, 8, 16])),
    );
    expect(fits.filter((f) => isWithin(f.sigma, law.sigma)).length).toBeGreaterThanOrEqual(COVERED);
    expect(fits.filter((f) => isWithin(f.kappa, law.kappa)).length).toBeGreaterThanOrEqual(COVERED);
  });
});

describe('properties', () => {
  const anyLaw = fc.record({
    lambda: fc.double({ min: 0.1, max: 1000, noNaN: true }),
    sigma: fc.double({ min: 0, max: 0.9, noNaN: true }),
    kappa: fc.double({ min: 0, max: 0.1, noNaN: true }),
  });
  const anyPoints = fc.uniqueArray(
    fc.record({ workers: fc.integer({ min: 1, max: 64 }), rate: fc.double({ min: 0.01, max: 1000, noNaN: true }) }),
    { minLength: 3, maxLength: 8, selector: (p) => p.workers },
  );

  test('exact data are fitted exactly, whatever the law', () => {
    fc.assert(
      fc.property(anyLaw, (law) => {
        const fit = fitOrThrow(simulateMeasurements(law));
        for (const { workers, value } of fit.predictions) expect(value / uslRate(law, workers)).toBeCloseTo(1, 4);
      }),
      { numRuns: 25 },
    );
  });

  test('any measurements give coefficients within their ranges, unless the fit is refused', () => {
    fc.assert(
      fc.property(anyPoints, (points) => {
        const fit = fitScalability(points);
        fc.pre(!('refused' in fit));
        if ('refused' in fit) throw new Error('fc.pre leaves only fits');
        expect(fit.lambda.value).toBeGreaterThan(0);
        for (const { value, interval } of [fit.sigma, fit.kappa]) {
          expect(value).toBeGreaterThanOrEqual(0);
          if (interval) expect(interval.low).toBeGreaterThanOrEqual(0);
        }
        expect(fit.sigma.value).toBeLessThanOrEqual(1);
        for (const p of fit.predictions) expect(p.value).toBeGreaterThan(0);
      }),
      { numRuns: 25 },
    );
  });

  test('another unit of the rate changes only lambda', () => {
    const points = simulateMeasurements(laws[2]![1], 0.03);
    const hourly = fitOrThrow(points.map((p) => ({ ...p, rate: p.rate * 3600 })));
    const fit = fitOrThrow(points);
    expect(hourly.sigma.value).toBeCloseTo(fit.sigma.value, 9);
    expect(hourly.kappa.value).toBeCloseTo(fit.kappa.value, 9);
    expect(hourly.lambda.value / fit.lambda.value).toBeCloseTo(3600, 6);
  });

  test('the same points give the same intervals', () => {
    const points = simulateMeasurements(laws[2]![1], 0.03);
    expect(fitScalability(points)).toEqual(fitScalability(points));
  });
});

describe('predictions', () => {
  test('are at 2 and 4 times the largest measured number, with a warning that they are outside the range', () => {
    const fit = fitOrThrow(simulateMeasurements(laws[1]![1], 0.03));
    expect(fit.predictions.map((p) => p.workers)).toEqual([32, 64]);
    for (const p of fit.predictions) {
      expect(p.warning).toContain('1 to 16');
      expect(p.interval!.low).toBeLessThan(p.value);
      expect(p.interval!.high).toBeGreaterThan(p.value);
    }
  });

  test('have no warning within the measured range', () => {
    expect(
      fitOrThrow(simulateMeasurements(laws[1]![1]), { at: [5, 16] }).predictions.every((p) => p.warning === undefined),
    ).toBe(true);
  });

  test('the peak is where the law is largest; a law that never falls has none', () => {
    const law = laws[2]![1];
    expect(uslPeak(law)).toBeCloseTo(10, 6);
    const { peak } = fitOrThrow(simulateMeasurements(law));
    expect(peak!.value).toBeCloseTo(10, 4);
    expect(peak!.rate).toBeGreaterThan(Math.max(uslRate(law, 9), uslRate(law, 11)));
    expect(fitOrThrow(simulateMeasurements(laws[0]![1])).peak).toBeUndefined();
  });

  test('a peak that may be due to scatter has no upper bound', () => {
    const uneven = simulateMeasurements(laws[1]![1]).map((p, i) => ({
      ...p,
      rate: p.rate * (i % 2 === 0 ? 1.03 : 0.97),
    }));
    const { kappa, peak } = fitOrThrow(uneven);
    expect(kappa.interval!.low).toBe(0);
    expect(peak!.interval!.low).toBeGreaterThan(1);
    expect(peak!.interval!.high).toBeUndefined();
  });
});

describe('few points', () => {
  const three = simulateMeasurements(laws[2]![1], 0.03, 1, [1, 4, 16]);

  test('as many points as coefficients are fitted without intervals', () => {
    const fit = fitOrThrow(three);
    expect(fit.scatter).toBeUndefined();
    expect([fit.lambda, fit.sigma, fit.kappa, ...fit.predictions].every((e) => e.interval === undefined)).toBe(true);
  });

  test('a known noise of the rates gives an interval nevertheless', () => {
    const fit = fitOrThrow(three, { noise: 0.03 });
    expect(isWithin(fit.lambda, 35)).toBe(true);
    expect(fit.lambda.interval!.high! - fit.lambda.interval!.low).toBeGreaterThan(35 * 0.03);
  });

  test.each<[string, ScalePoint[], Refusal['code'], string]>([
    ['none', [], 'too-few-sizes', '0'],
    [
      'two numbers of workers, however often',
      [1, 1, 1, 2, 2].map((workers) => ({ workers, rate: 5 })),
      'too-few-sizes',
      '2',
    ],
    ['a rate of 0', [...three, { workers: 32, rate: 0 }], 'not-positive', '0/s at 32'],
    ['a negative rate', [...three, { workers: 32, rate: -1 }], 'not-positive', '-1/s'],
    ['no workers', [...three, { workers: 0, rate: 3 }], 'not-positive', 'at 0'],
    ['a rate that is no number', [...three, { workers: 2, rate: Number.NaN }], 'not-positive', 'NaN'],
  ])('refused: %s', (_, points, code, fact) => {
    expect(fitScalability(points)).toEqual({ code, refused: expect.stringContaining(fact) as string });
  });
});
