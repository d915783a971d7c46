import { quantileSorted, sum } from 'simple-statistics';
import { nonNegativeLeastSquares } from './non-negative.js';
import { seededRandom, type Random } from './random.js';

/** A measured capacity: `rate` in executions or requests per second, and the number of `workers`, or of any scaled component. */
export interface ScalePoint {
  workers: number;
  rate: number;
}

/** Coefficients of the Universal Scalability Law. */
export interface UslCoefficients {
  /** Capacity of one worker, in the unit of the measured rates; above 0. */
  lambda: number;
  /** Contention: the share of the work that waits for a shared resource; 0 to 1. */
  sigma: number;
  /** Coherency: the cost of keeping a pair of workers consistent, as a share of one worker's time; at least 0. */
  kappa: number;
}

/** 95 % interval; `high` is undefined if no measurement bounds it from above. */
export interface Interval {
  low: number;
  high?: number;
}

/** An estimate; the interval is undefined if the points leave no scatter. */
export interface Estimate {
  value: number;
  interval?: Interval;
}

/** Expected capacity at a number of workers, with the interval of a single measurement. */
export interface Prediction extends Estimate {
  workers: number;
  /** Set if `workers` lies outside the measured range. */
  warning?: string;
}

/** The Universal Scalability Law fitted to measured capacities. */
export interface ScalabilityFit {
  lambda: Estimate;
  sigma: Estimate;
  kappa: Estimate;
  /** Relative standard deviation of the measured rates around the law; undefined with no more points than coefficients. */
  scatter?: number;
  /** Number of workers (not rounded) above which capacity falls, and that capacity; undefined if it never falls (kappa 0). */
  peak?: Estimate & { rate: number };
  predictions: Prediction[];
}

/** The reason why no law was fitted: `code` for machines, `refused` for people. */
export interface Refusal {
  code: 'too-few-sizes' | 'not-positive' | 'no-fit';
  refused: string;
}

/** The predictions to make, and the known noise of the measurements. */
export interface ScalabilityOptions {
  /** Numbers of workers to predict; by default 2 and 4 times the largest measured. */
  at?: number[];
  /** Lower bound of the relative standard deviation of a measured rate: from repeats, or the precision of the search. */
  noise?: number;
}

export const COEFFICIENT_COUNT = 3;
/** Number of bootstrap replicates: enough that the ends of an interval vary by a few percent of its width between seeds. */
const REPLICATE_COUNT = 1000;
const SEED = 1993;
const TAIL = 0.025;
/** Share of a rate up to which an effect of the coherency is a rounding error: such a coherency counts as 0. */
const ROUNDING = 1e-9;
/** Largest simulated measurement error, as a logarithm (a factor of e^5): keeps the arithmetic finite. */
const MAX_LOG_ERROR = 5;

/** X(N) = λN / (1 + σ(N − 1) + κN(N − 1)): Gunther, Guerrilla Capacity Planning, 2007, chapter 4, with λ for X(1). */
export const uslRate = ({ lambda, sigma, kappa }: UslCoefficients, workers: number): number =>
  (lambda * workers) / (1 + sigma * (workers - 1) + kappa * workers * (workers - 1));

/** N* = √((1 − σ) / κ), where X(N) is largest (the same chapter); Infinity when κ is 0. */
export const uslPeak = ({ sigma, kappa }: UslCoefficients): number => Math.sqrt((1 - sigma) / kappa);

/**
 * Fits the Universal Scalability Law to measured capacities, with 0 ≤ σ ≤ 1 and κ ≥ 0. It minimizes the squares of the relative
 * residuals (X − X̂) / X̂, because the error of a measured capacity is a percentage of it. N / X is linear in 1, N and
 * N(N − 1). Its coefficients (1 − σ)/λ, σ/λ and κ/λ are at least 0, so that the best fit is unique and needs no first guess.
 *
 * The intervals are a parametric bootstrap with a fixed seed (Efron and Tibshirani 1993, section 6.5). Each replicate adds
 * errors as large as the scatter around the law to the measured rates, and fits again. The scatter itself is drawn from its χ²
 * distribution with n − 3 degrees of freedom, so that few points give wide intervals. Source: Gelman et al., Bayesian Data
 * Analysis, 2013, section 14.2. Without the constraints these are Student's t intervals.
 * @returns a refusal with fewer than 3 different numbers of workers, if a number is not above 0, or if no law fits
 */
export function fitScalability(points: ScalePoint[], options: ScalabilityOptions = {}): ScalabilityFit | Refusal {
  const refused = findRefusal(points);
  if (refused) return refused;
  const fitted = fitLaw(points);
  if (!fitted)
    return {
      code: 'no-fit',
      refused: 'the rates fall too steeply for the law: no capacity of one worker explains them',
    };
  const largest = Math.max(...points.map((p) => p.workers));
  const at = options.at ?? [2 * largest, 4 * largest];
  const spread = relativeScatter(points, fitted);
  const draws = drawReplicates(points, spread, options.noise ?? 0);
  const estimate = (of: (c: UslCoefficients) => number): Estimate =>
    withInterval(
      of(fitted),
      draws.map(({ law }) => of(law)),
    );
  return {
    lambda: estimate((c) => c.lambda),
    sigma: estimate((c) => c.sigma),
    kappa: estimate((c) => c.kappa),
    ...(spread !== undefined && { scatter: spread }),
    ...(fitted.kappa > 0 && { peak: { ...estimate(uslPeak), rate: uslRate(fitted, uslPeak(fitted)) } }),
    predictions: at.map((workers) => ({
      workers,
      ...withInterval(
        uslRate(fitted, workers),
        draws.map(({ law, error }) => uslRate(law, workers) * error),
      ),
      ...warnOutsideRange(points, workers),
    })),
  };
}

function findRefusal(points: ScalePoint[]): Refusal | undefined {
  const wrong = points.find((p) => !(p.workers > 0 && p.rate > 0 && Number.isFinite(p.workers * p.rate)));
  if (wrong)
    return {
      code: 'not-positive',
      refused: `workers and rates must be above 0, not ${wrong.rate}/s at ${wrong.workers} workers`,
    };
  const different = new Set(points.map((p) => p.workers)).size;
  if (different < COEFFICIENT_COUNT)
    return {
      code: 'too-few-sizes',
      refused: `the law has ${COEFFICIENT_COUNT} coefficients and needs at least ${COEFFICIENT_COUNT} different numbers of workers; ${different} measured`,
    };
  return undefined;
}

/** Least squares with weights X/N: the residual of N/X divided by N/X is, up to its sign, the relative residual (X − X̂) / X̂. */
function fitLaw(points: ScalePoint[]): UslCoefficients | undefined {
  const weights = points.map((p) => p.rate / p.workers);
  const columns = [() => 1, (n: number) => n, (n: number) => n * (n - 1)].map((column) =>
    points.map((p, i) => column(p.workers) * weights[i]!),
  );
  const [own, shared, pairwise] = nonNegativeLeastSquares(
    columns,
    points.map(() => 1),
  ) as [number, number, number];
  const perWorker = own + shared;
  if (!(perWorker > 0)) return undefined;
  const kappa = pairwise / perWorker;
  const largest = Math.max(...points.map((p) => p.workers));
  return { lambda: 1 / perWorker, sigma: shared / perWorker, kappa: kappa * largest ** 2 < ROUNDING ? 0 : kappa };
}

function relativeScatter(points: ScalePoint[], law: UslCoefficients): number | undefined {
  if (points.length <= COEFFICIENT_COUNT) return undefined;
  const squares = sum(points.map((p) => (p.rate / uslRate(law, p.workers) - 1) ** 2));
  return Math.sqrt(squares / (points.length - COEFFICIENT_COUNT));
}

interface Replicate {
  law: UslCoefficients;
  /** Ratio of one further measurement to its true value. */
  error: number;
}

function drawReplicates(points: ScalePoint[], spread: number | undefined, noise: number): Replicate[] {
  if (spread === undefined && noise === 0) return [];
  const random = seededRandom(SEED);
  const draws: Replicate[] = [];
  for (let i = 0; i < REPLICATE_COUNT; i++) {
    const deviation = Math.max(noise, drawDeviation(random, spread, points.length - COEFFICIENT_COUNT));
    const error = () => Math.exp(clamp(deviation * random.normal(), MAX_LOG_ERROR));
    const law = fitLaw(points.map((p) => ({ workers: p.workers, rate: p.rate * error() })));
    if (law) draws.push({ law, error: error() });
  }
  return draws;
}

const drawDeviation = (random: Random, spread: number | undefined, freedom: number): number =>
  spread === undefined ? 0 : spread * Math.sqrt(freedom / random.chiSquared(freedom));

function withInterval(value: number, draws: number[]): Estimate {
  if (draws.length === 0) return { value };
  const sorted = draws.sort((a, b) => a - b);
  const high = quantileSorted(sorted, 1 - TAIL);
  return { value, interval: { low: quantileSorted(sorted, TAIL), ...(Number.isFinite(high) && { high }) } };
}

function warnOutsideRange(points: ScalePoint[], workers: number): { warning?: string } {
  const measured = points.map((p) => p.workers);
  const [least, most] = [Math.min(...measured), Math.max(...measured)];
  if (workers >= least && workers <= most) return {};
  return {
    warning: `${workers} workers are outside the measured range, ${least} to ${most}: the law does not include limits that no step reached, such as the database`,
  };
}

const clamp = (value: number, most: number) => Math.max(-most, Math.min(most, value));
