import type { Difference } from './differences.js';
import type { LoadVerdict, RunVerdict } from '../model/verdict.js';
import { compareLatency, type Answers, type LatencyComparison, type ComparisonOutcome } from './compare-latency.js';

export interface LoadComparison {
  load: string;
  /** Of the capacities. */
  outcome: ComparisonOutcome;
  /** Capacities in executions per second; absent where not even the lowest rate that was tried held. */
  a?: number;
  b?: number;
  /** (B − A) / A, as a fraction; absent unless both have a capacity. */
  difference?: number;
  /** The larger capacity must be more than this fraction above the smaller one to count as another. */
  band: number;
  /** Where both sustained a rate in common. */
  latency?: LatencyComparison;
}

export interface RunComparison {
  loads: LoadComparison[];
  /** Loads of which nothing can be said, each with the reason. */
  notComparable: { load: string; reason: string }[];
}

/** How run B stands to run A, and in what they differ. */
export interface CompareConclusion extends RunComparison {
  /** Folders of the two runs. */
  a: string;
  b: string;
  /** What counts as a tie, as fractions of rates and of latencies, and whether that was asked, measured or assumed. */
  noise: { rate: number; latency: number; source: 'asked' | 'measured' | 'assumed' };
  /** Of B: worse when it is in any load; absent when nothing could be compared. */
  outcome?: ComparisonOutcome;
  differences: Difference[];
}

export interface CompareOptions {
  /** By how much rates of the same deployment differ from run to run, as a fraction of at least 0. */
  noise: number;
  /** By how much its latencies do; as much where it is absent. */
  latencyNoise?: number;
  /** What k6 saw in the steps of both runs, for an interval of the latency's difference. */
  answers?: Answers;
}

/**
 * Compares two runs load by load: B against A. A capacity is the highest rate that held, and the true one lies between it
 * and the lowest that did not: no difference is told that is within the noise, or within that gap in either run.
 * @throws RangeError when the noise is negative or no number
 */
export function compareRuns(a: RunVerdict, b: RunVerdict, options: CompareOptions): RunComparison {
  if (!(options.noise >= 0)) throw new RangeError(`noise must be a fraction of at least 0, not ${options.noise}`);
  const comparison: RunComparison = { loads: [], notComparable: [] };
  for (const load of new Set([...a.loads, ...b.loads].map((l) => l.load))) {
    const [inA, inB] = [a, b].map((run) => run.loads.find((l) => l.load === load));
    const compared = inA && inB ? compareLoad(inA, inB, options) : `only ${inA ? 'A' : 'B'} has it`;
    if (typeof compared === 'string') comparison.notComparable.push({ load, reason: compared });
    else comparison.loads.push(compared);
  }
  return comparison;
}

/** What is told of a load: its capacity decides, and where that is the same the latency at the highest rate in common. */
export const outcomeOfLoad = ({ outcome, latency }: LoadComparison): ComparisonOutcome =>
  outcome === 'tie' ? (latency?.outcome ?? 'tie') : outcome;

/** What is told of B: worse when it is in any load; undefined when nothing could be compared. */
export function outcomeOfRun({ loads }: RunComparison): ComparisonOutcome | undefined {
  const outcomes = loads.map(outcomeOfLoad);
  return (['worse', 'better', 'tie'] as const).find((outcome) => outcomes.includes(outcome));
}

function compareLoad(a: LoadVerdict, b: LoadVerdict, options: CompareOptions): LoadComparison | string {
  const unjudged = reasonUnjudged('A', a) ?? reasonUnjudged('B', b);
  if (unjudged) return unjudged;
  const band = Math.max(options.noise, gap(a), gap(b));
  const outcome = outcomeOf(a, b, band);
  if (typeof outcome !== 'object') return outcome;
  const latency = compareLatency(a, b, options.latencyNoise ?? options.noise, options.answers);
  return {
    load: a.load,
    ...outcome,
    ...(a.capacity !== undefined && { a: a.capacity }),
    ...(b.capacity !== undefined && { b: b.capacity }),
    ...(a.capacity !== undefined && b.capacity !== undefined && { difference: b.capacity / a.capacity - 1 }),
    band,
    ...(latency && { latency }),
  };
}

function reasonUnjudged(name: string, load: LoadVerdict): string | undefined {
  if (load.capacity !== undefined || load.broken !== undefined) return undefined;
  if (load.steps.some((s) => s.step.rate === undefined))
    return `${name} was driven in a closed loop, which has no capacity`;
  return `${name} could not be judged: ${load.conclusion}`;
}

/** How far above the capacity the lowest rate lies that did not hold, as a fraction; 0 where one of them is unknown. */
const gap = ({ capacity, broken }: LoadVerdict): number =>
  capacity === undefined || broken === undefined ? 0 : broken / capacity - 1;

/** What can be said of the true capacities, each at least the rate that held and below the one that did not. */
function outcomeOf(a: LoadVerdict, b: LoadVerdict, band: number): { outcome: ComparisonOutcome } | string {
  if (a.capacity === undefined && b.capacity === undefined) return 'neither sustained any rate';
  const [low, high, outcome, name] =
    (a.capacity ?? 0) < (b.capacity ?? 0) ? ([a, b, 'better', 'A'] as const) : ([b, a, 'worse', 'B'] as const);
  if (low.capacity !== undefined && within(low.capacity, high.capacity!, band)) return { outcome: 'tie' };
  if (low.broken === undefined)
    return `${name} was not broken at ${low.capacity}/s, its highest rate: it may take more`;
  if (low.broken > high.capacity!) return `${name} was tried too coarsely: its capacity lies below ${low.broken}/s`;
  return { outcome };
}

/** Neither the order of the two nor rounding decides. */
const within = (low: number, high: number, band: number): boolean =>
  high <= low * (1 + band) * (1 + Number.EPSILON * 8);
