import { upperEnd } from '../../../judge/sustained.js';
import type { Difference } from './differences.js';
import { isGood, type LoadVerdict, type RunVerdict } from '../../../model/verdict.js';
import { compareLatency, type Answers, type LatencyComparison, type ComparisonOutcome } from './compare-latency.js';

/** One load of two runs. */
export interface LoadComparison {
  load: string;
  /** Of the capacities. */
  outcome: ComparisonOutcome;
  /** Capacities in executions per second; undefined if not even the lowest rate held. */
  a?: number;
  b?: number;
  /** (B − A) / A, as a fraction; undefined unless both have a capacity. */
  difference?: number;
  /** Capacities differ if the larger one is more than this fraction above the smaller one. */
  band: number;
  /** Undefined if both sustained no rate in common. */
  latency?: LatencyComparison;
  /** Why the outcome is not that of the capacities: how one of the runs failed. Without a full stop. */
  reason?: string;
}

/** Why a load cannot be compared: `code` for machines, `reason` for people. */
export interface Incomparable {
  code: 'slo' | 'one-sided' | 'closed-loop' | 'inconclusive' | 'none-held' | 'none-broke' | 'too-coarse';
  reason: string;
}

/** The loads of two runs. */
interface RunComparison {
  loads: LoadComparison[];
  /** Loads that cannot be compared, with the reason. */
  notComparable: ({ load: string } & Incomparable)[];
}

/** Run B compared with run A, and how their setups differ. */
export interface CompareConclusion extends RunComparison {
  /** Folders of the two runs. */
  a: string;
  b: string;
  /** Noise as fractions of rates and of latencies, each undefined if not measured, and its source: a flag or repeated runs. */
  noise: { rate?: number; latency?: number; source: 'asked' | 'measured' | 'unmeasured' };
  /** Of B: worse if it is worse in any load; undefined if no load could be compared. */
  outcome?: ComparisonOutcome;
  differences: Difference[];
  /** Why a difference of the results may not be one of the deployments. */
  warnings: string[];
}

/** How to compare two runs. */
export interface CompareOptions {
  /** Fraction by which rates of the same deployment differ from run to run, at least 0; undefined if not measured. */
  noise?: number | undefined;
  /** The same for latencies. */
  latencyNoise?: number | undefined;
  /** Answers of the steps of both runs, for an interval of the latency difference. */
  answers?: Answers;
}

/**
 * Compares two runs load by load, B against A. The true capacity lies between the highest rate that held and the lowest
 * that did not. A difference within the noise, or within that gap in either run, is a tie. If only one run broke, the other's
 * capacity is at least its highest rate: the two differ, or cannot be compared. Without measured noise no difference is claimed.
 * @throws RangeError if the noise is negative or not a number
 */
export function compareRuns(a: RunVerdict, b: RunVerdict, options: CompareOptions): RunComparison {
  const { noise = 0 } = options;
  if (!(noise >= 0)) throw new RangeError(`noise must be a fraction of at least 0, not ${noise}`);
  const comparison: RunComparison = { loads: [], notComparable: [] };
  for (const load of new Set([...a.loads, ...b.loads].map((l) => l.load))) {
    const [inA, inB] = [a, b].map((run) => run.loads.find((l) => l.load === load));
    const compared = inA && inB ? compareLoad(inA, inB, options) : oneSided(inA ? 'A' : 'B');
    if ('code' in compared) comparison.notComparable.push({ load, ...compared });
    else comparison.loads.push(compared);
  }
  return comparison;
}

/** The outcome of a load: by its capacity, and if that is a tie by the latency at the highest rate in common. */
export const outcomeOfLoad = ({ outcome, latency }: LoadComparison): ComparisonOutcome =>
  outcome === 'tie' ? (latency?.outcome ?? 'tie') : outcome;

/**
 * The outcome of B: worse if it is worse in any load, better only if none is unknown or could not be compared; undefined if no load
 * could be compared.
 */
export function outcomeOfRun({ loads, notComparable }: RunComparison): ComparisonOutcome | undefined {
  if (loads.length === 0) return undefined;
  const isOpen = notComparable.some(({ code }) => code !== 'one-sided');
  const outcomes: ComparisonOutcome[] = [...loads.map(outcomeOfLoad), ...(isOpen ? (['unknown'] as const) : [])];
  return (['worse', 'unknown', 'better', 'tie'] as const).find((outcome) => outcomes.includes(outcome));
}

/** A capacity is what meets the SLO: those of two SLOs differ whatever was deployed. */
export const underOtherSlos = ({ loads, notComparable }: RunComparison): RunComparison => ({
  loads: [],
  notComparable: [
    ...notComparable,
    ...loads.map(({ load }) => ({
      load,
      code: 'slo' as const,
      reason: 'the runs have different SLOs, and a capacity is the rate that meets one',
    })),
  ],
});

const oneSided = (name: string): Incomparable => ({ code: 'one-sided', reason: `only ${name} ran this load` });

function compareLoad(a: LoadVerdict, b: LoadVerdict, options: CompareOptions): LoadComparison | Incomparable {
  const unjudged = withoutCapacity('A', a) ?? withoutCapacity('B', b);
  if (unjudged) return unjudged;
  const capacities = {
    load: a.load,
    ...(a.capacity !== undefined && { a: a.capacity }),
    ...(b.capacity !== undefined && { b: b.capacity }),
    ...(a.capacity !== undefined && b.capacity !== undefined && { difference: b.capacity / a.capacity - 1 }),
  };
  const failed = failedOutside(a, b);
  if (failed) return { ...capacities, ...failed, band: 0 };
  const band = Math.max(options.noise ?? 0, gap(a), gap(b));
  const compared = compareCapacities(a, b, band, options.noise ?? 0);
  if ('code' in compared) return compared;
  const outcome = options.noise === undefined && compared.outcome !== 'tie' ? 'unknown' : compared.outcome;
  const latency = compareLatency(a, b, options.latencyNoise, options.answers);
  return {
    ...capacities,
    outcome,
    band,
    ...(latency && { latency }),
  };
}

/**
 * A run failed by something else than a rate that broke, such as a death, lost executions or an overload: its capacity says too little.
 * The other one is better if it held what it was asked for.
 */
function failedOutside(a: LoadVerdict, b: LoadVerdict): Pick<LoadComparison, 'outcome' | 'reason'> | undefined {
  const [badly, alsoBadly] = [a, b].map(
    ({ verdict, broken, failsAtAnyRate, overload }) =>
      failsAtAnyRate ||
      overload?.failsOn !== undefined ||
      (verdict === 'FAIL' && (broken === undefined || overload?.collapsedTo !== undefined)),
  );
  if (!badly && !alsoBadly) return undefined;
  if ((badly && alsoBadly) || (a.verdict === 'FAIL' && b.verdict === 'FAIL'))
    return { outcome: 'unknown', reason: `both failed: ${a.conclusion}; ${b.conclusion}` };
  const [failed, other] = badly ? [a, b] : [b, a];
  const [name, otherName] = badly ? ['A', 'B'] : ['B', 'A'];
  const reason = `${name} failed: ${failed.conclusion}`;
  if (!isGood(other.verdict))
    return { outcome: 'unknown', reason: `${reason}; ${otherName} is ${other.verdict}: ${other.conclusion}` };
  return { outcome: badly ? 'better' : 'worse', reason };
}

function withoutCapacity(name: string, load: LoadVerdict): Incomparable | undefined {
  const isKnown = load.capacity !== undefined || load.broken !== undefined;
  // A rate that broke is an upper end, whatever could not be proved below it.
  const isUnsure = load.verdict === 'INCONCLUSIVE' && load.capacity !== undefined;
  if (isKnown && !isUnsure) return undefined;
  if (!isKnown && load.steps.some((s) => s.step.rate === undefined))
    return { code: 'closed-loop', reason: `${name} ran in a closed loop, which measures no capacity` };
  return { code: 'inconclusive', reason: `${name} is inconclusive: ${load.conclusion}` };
}

/** The upper end of the capacity; what a deployment completes after an overload is its capacity, whatever held before. */
const computeUpperEnd = (load: LoadVerdict): number | undefined =>
  load.overload?.collapsedTo === undefined ? upperEnd(load) : load.capacity;

/** Distance from the capacity to the upper end of its interval, as a fraction; 0 if either is unknown. */
const gap = (load: LoadVerdict): number => {
  const upper = computeUpperEnd(load);
  return load.capacity === undefined || upper === undefined ? 0 : upper / load.capacity - 1;
};

/**
 * Compares the true capacities: each is at least the rate that held and below the rate that did not. They tie within the band,
 * unless the lower one is proved to end below the other by more than the noise. A run that never broke has no upper end: it ties
 * with none that did.
 */
function compareCapacities(
  a: LoadVerdict,
  b: LoadVerdict,
  band: number,
  noise: number,
): { outcome: ComparisonOutcome } | Incomparable {
  if (a.capacity === undefined && b.capacity === undefined)
    return { code: 'none-held', reason: 'neither run sustained any rate' };
  const [low, high, outcome, name] =
    (a.capacity ?? 0) < (b.capacity ?? 0) ? ([a, b, 'better', 'A'] as const) : ([b, a, 'worse', 'B'] as const);
  const upper = computeUpperEnd(low);
  const isApart = upper !== undefined && !within(upper, high.capacity!, noise);
  if (isApart) return { outcome };
  const unbroken = [low, high].filter((load) => computeUpperEnd(load) === undefined);
  if (low.capacity !== undefined && unbroken.length !== 1 && within(low.capacity, high.capacity!, band))
    return { outcome: 'tie' };
  if (upper === undefined)
    return {
      code: 'none-broke',
      reason: `${name} still held at its highest rate, ${low.capacity}/s: its capacity may be higher`,
    };
  if (low.capacity !== undefined && unbroken.length === 1)
    return {
      code: 'none-broke',
      reason: `${name === 'A' ? 'B' : 'A'} still held at its highest rate, ${high.capacity}/s, and the capacity of ${name} lies below ${upper}/s: whether they differ by more than the noise is undecided; try higher rates`,
    };
  // What is only known to lie below a rate may lie as little below it as the noise.
  if (low.capacity === undefined || upper > high.capacity!)
    return {
      code: 'too-coarse',
      reason: `the steps of ${name} are too coarse: its capacity lies below ${upper}/s`,
    };
  return { outcome };
}

/** Whether two capacities differ by at most the band, rounding errors aside. */
const within = (low: number, high: number, band: number): boolean =>
  high <= low * (1 + band) * (1 + Number.EPSILON * 8);
