import { formatNumber, formatSeconds, formatOverhead, formatPercent, formatRate } from '../../../core/formats.js';
import { outcomeOfLoad, type CompareConclusion, type LoadComparison } from '../judge/compare.js';
import type { ComparisonOutcome, LatencyComparison } from '../judge/compare-latency.js';
import { NONE, type Column } from '../../../report/columns.js';

/** The outcome of a comparison, as a statement about B. */
export const OUTCOME_OF_B: Record<ComparisonOutcome, string> = {
  better: 'B is better',
  worse: 'B is worse',
  tie: 'no measurable difference',
  unknown:
    'cannot tell: they differ, and noise was not measured; measure it by a sweep without a target, or give --noise',
};

/** The answer where no load can be compared. */
export const NOTHING_COMPARED = 'no load can be compared';

const WORD: Record<ComparisonOutcome, string> = { better: 'better', worse: 'worse', tie: 'tied', unknown: 'unknown' };

const SOURCE = { asked: '--noise', measured: 'measured in the environment of the runs' };

/** The noise between runs of the same deployment, and its source. */
export function noiseLine({ rate: ofRate, latency, source }: CompareConclusion['noise']): string {
  if (source === 'unmeasured') return 'Noise: not measured, so a difference may be chance.';
  const of = (share: number | undefined) => (share === undefined ? 'an unknown share' : formatPercent(share));
  return `Noise: ${of(ofRate)} of a rate, ${of(latency)} of a latency (${SOURCE[source]}).`;
}

/** Columns of the compared loads. */
export const LOAD_COLUMNS: Column<LoadComparison>[] = [
  { head: 'Load', isText: true, cell: ({ load }) => load },
  { head: 'A sustains/s', cell: ({ a }) => rate(a) },
  { head: 'B sustains/s', cell: ({ b }) => rate(b) },
  {
    head: 'Difference',
    cell: ({ difference }) => (difference === undefined ? NONE : signedText(difference, formatPercent)),
  },
  { head: 'Tie within', cell: ({ band }) => formatPercent(band) },
  { head: 'p95 at', cell: ({ latency }) => (latency ? formatRate(latency.rate) : NONE) },
  { head: 'A', cell: ({ latency }) => (latency ? formatOverhead(latency.a) : NONE) },
  { head: 'B', cell: ({ latency }) => (latency ? formatOverhead(latency.b) : NONE) },
  { head: 'B − A', cell: ({ latency }) => (latency ? latencyDifference(latency) : NONE) },
  { head: 'B is', isText: true, cell: (load) => WORD[outcomeOfLoad(load)] },
];

/** How one of the runs failed, for each load that has such a reason. Without a full stop. */
export const failureReasons = (loads: LoadComparison[]): { load: string; reason: string }[] =>
  loads.flatMap(({ load, reason }) => (reason === undefined ? [] : [{ load, reason }]));

type Difference = CompareConclusion['differences'][number];

/** Columns of the differences between the setups of the runs. */
export const DIFFERENCE_COLUMNS: Column<Difference>[] = [
  { head: 'Differs', isText: true, cell: ({ kind }) => kind },
  { head: '', isText: true, cell: ({ what }) => what },
  { head: 'A', isText: true, cell: (d) => sideText(d, d.a) },
  { head: 'B', isText: true, cell: (d) => sideText(d, d.b) },
];

/** Shown instead of the table of differences if the setups do not differ. */
export const NO_DIFFERENCE = 'No difference in versions, machine, deployment, plan and values.';

const sideText = ({ kind }: Difference, value: string | undefined): string =>
  value ?? (kind === 'value' ? 'default' : NONE);

const rate = (capacity: number | undefined) => (capacity === undefined ? 'none' : formatNumber(capacity));

function latencyDifference({ difference, interval }: LatencyComparison): string {
  const range = interval
    ? ` [${signedText(interval.low, formatSeconds)}, ${signedText(interval.high, formatSeconds)}]`
    : '';
  return `${signedText(difference, formatSeconds)}${range}`;
}

const signedText = (value: number, text: (value: number) => string): string =>
  `${value < 0 ? '−' : '+'}${text(Math.abs(value))}`;
