import type { LoadVerdict } from '../../../model/verdict.js';
import type { StepRecord } from '../../../model/step.js';
import { quantile } from 'simple-statistics';
import { seededRandom, type Random } from '../../../stats/random.js';

/** B compared with A; unknown where they differ and noise, which was not measured, may be the reason. */
export type ComparisonOutcome = 'better' | 'worse' | 'tie' | 'unknown';

/** Overheads of a step's answers in seconds, one list for each second of the step. */
export type Answers = ReadonlyMap<StepRecord, number[][]>;

/** p95 of the overhead at the highest rate that both runs sustained; times in seconds. */
export interface LatencyComparison {
  /** Arrivals per second. */
  rate: number;
  a: number;
  b: number;
  /** B − A; below 0, B is faster. */
  difference: number;
  /** 95 % interval of the difference; undefined without the answers of both steps. */
  interval?: { low: number; high: number };
  outcome: ComparisonOutcome;
}

/** Smaller differences of p95 come from timers and the network stack, whatever their share. */
const LEAST_SECONDS = 0.005;
const P95 = 0.95;
const REPLICATES = 1000;
const SEED = 1979;

/**
 * Compares the p95 overhead of two runs at the highest rate that both sustained.
 * @param noise fraction by which latencies of the same deployment differ from run to run; undefined if not measured
 * @returns undefined if both sustained no rate in common
 */
export function compareLatency(
  a: LoadVerdict,
  b: LoadVerdict,
  noise: number | undefined,
  answers?: Answers,
): LatencyComparison | undefined {
  const pair = commonStep(a, b);
  const [from, to] = [pair?.[0].summary.latency?.p95, pair?.[1].summary.latency?.p95];
  if (!pair || from === undefined || to === undefined) return undefined;
  const [answersA, answersB] = pair.map((step) => answers?.get(step));
  const interval = answersA && answersB && bootstrap(answersA, answersB);
  const difference = to - from;
  const differs =
    Math.abs(difference) > LEAST_SECONDS &&
    Math.max(from, to) > Math.min(from, to) * (1 + (noise ?? 0)) &&
    (!interval || interval.low > 0 || interval.high < 0);
  return {
    rate: pair[0].rate!,
    a: from,
    b: to,
    difference,
    ...(interval && { interval }),
    outcome: !differs ? 'tie' : noise === undefined ? 'unknown' : difference < 0 ? 'better' : 'worse',
  };
}

/** The steps of both at the highest rate that both sustained, the last try of each; undefined without one. */
export function commonStep(a: LoadVerdict, b: LoadVerdict): [StepRecord, StepRecord] | undefined {
  const [heldA, heldB] = [a, b].map(
    ({ steps }) =>
      new Map(
        steps.flatMap(({ step, judged }) =>
          step.rate !== undefined && judged.verdict === 'PASS' ? [[step.rate, step] as const] : [],
        ),
      ),
  ) as [Map<number, StepRecord>, Map<number, StepRecord>];
  const rate = Math.max(...[...heldA.keys()].filter((r) => heldB.has(r)));
  return Number.isFinite(rate) ? [heldA.get(rate)!, heldB.get(rate)!] : undefined;
}

/**
 * Percentile interval of the difference of p95 (Efron and Tibshirani 1993, chapter 13). Whole seconds are drawn, not single
 * answers: answers of one second are not independent (Davison and Hinkley, Bootstrap Methods, 1997, section 3.8).
 */
function bootstrap(a: number[][], b: number[][]): { low: number; high: number } | undefined {
  const [sortedA, sortedB] = [ordered(a), ordered(b)];
  if (sortedA.length === 0 || sortedB.length === 0) return undefined;
  const random = seededRandom(SEED);
  const differences: number[] = [];
  for (let i = 0; i < REPLICATES; i++) {
    const difference = drawnP95(sortedB, b.length, random) - drawnP95(sortedA, a.length, random);
    if (Number.isFinite(difference)) differences.push(difference);
  }
  if (differences.length === 0) return undefined;
  return { low: quantile(differences, 0.025), high: quantile(differences, 0.975) };
}

interface Answer {
  second: number;
  latency: number;
}

const ordered = (seconds: number[][]): Answer[] =>
  seconds
    .flatMap((latencies, second) => latencies.map((latency) => ({ second, latency })))
    .sort((x, y) => x.latency - y.latency);

/** Nearest-rank p95 of this many seconds drawn with replacement; NaN if no drawn second has an answer. */
function drawnP95(answers: Answer[], seconds: number, random: Random): number {
  const times = new Array<number>(seconds).fill(0);
  for (let i = 0; i < seconds; i++) times[Math.floor(random.uniform() * seconds)]! += 1;
  const total = answers.reduce((sum, { second }) => sum + times[second]!, 0);
  let seen = 0;
  for (const { second, latency } of answers) {
    seen += times[second]!;
    if (seen > 0 && seen >= P95 * total) return latency;
  }
  return Number.NaN;
}
