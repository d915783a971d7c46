import pc from 'picocolors';
import { format, overhead, milliseconds, percent, perSecond } from '../../core/formats.js';
import { outcomeOfLoad, type CompareConclusion, type LoadComparison } from '../../judge/compare.js';
import type { ComparisonOutcome, LatencyComparison } from '../../judge/compare-latency.js';
import { NONE, type Column } from '../columns.js';
import { textTable } from './table.js';

const COLOUR: Record<ComparisonOutcome, (text: string) => string> = {
  better: pc.green,
  worse: pc.red,
  tie: String,
  unknown: pc.yellow,
};

const VERDICT_TEXT: Record<ComparisonOutcome, string> = {
  better: 'B is better',
  worse: 'B is worse',
  tie: 'no measurable difference',
  unknown:
    'cannot tell: they differ, and noise was not measured; measure it by a sweep without a target, or give --noise',
};

const WORD: Record<ComparisonOutcome, string> = { better: 'better', worse: 'worse', tie: 'tied', unknown: 'unknown' };

const SOURCE = { asked: '--noise', measured: 'measured in the environment of the runs' };

function noiseLine({ rate, latency, source }: CompareConclusion['noise']): string {
  if (source === 'unmeasured') return 'Noise: not measured, so a difference may be chance.';
  const of = (share: number | undefined) => (share === undefined ? 'an unknown share' : percent(share));
  return `Noise: ${of(rate)} of a rate, ${of(latency)} of a latency (${SOURCE[source]}).`;
}

/** The differences between the runs, a line for each load, loads that cannot be compared, and the answer last. */
export function printComparison(conclusion: CompareConclusion): string {
  const { a, b, outcome, loads, notComparable, noise, warnings } = conclusion;
  const blocks = [
    `A: ${a}\nB: ${b}`,
    differenceTable(conclusion),
    ...warnings.map((text) => `${pc.yellow('warning')} ${text}`),
    noiseLine(noise),
    ...(loads.length > 0 ? [textTable(LOAD_COLUMNS, loads)] : []),
    ...notComparable.map(({ load, reason }) => `${pc.yellow('not comparable')} ${load}: ${reason}`),
    outcome ? COLOUR[outcome](VERDICT_TEXT[outcome]) : pc.yellow('no load can be compared'),
  ];
  return `\n${blocks.join('\n\n')}\n`;
}

type Difference = CompareConclusion['differences'][number];

function differenceTable({ differences }: CompareConclusion): string {
  if (differences.length === 0) return 'No difference in versions, machine, deployment, plan and values.';
  const side = ({ kind }: Difference, value: string | undefined) =>
    value ?? pc.dim(kind === 'value' ? 'default' : NONE);
  return textTable<Difference>(
    [
      { head: 'Differs', isText: true, cell: ({ kind }) => kind },
      { head: '', isText: true, cell: ({ what }) => what },
      { head: 'A', isText: true, cell: (d) => side(d, d.a) },
      { head: 'B', isText: true, cell: (d) => side(d, d.b) },
    ],
    differences,
  );
}

const LOAD_COLUMNS: Column<LoadComparison>[] = [
  { head: 'Load', isText: true, cell: ({ load }) => load },
  { head: 'A sustains/s', cell: ({ a }) => rate(a) },
  { head: 'B sustains/s', cell: ({ b }) => rate(b) },
  { head: 'Difference', cell: ({ difference }) => (difference === undefined ? NONE : signed(difference, percent)) },
  { head: 'Tie within', cell: ({ band }) => percent(band) },
  { head: 'p95 at', cell: ({ latency }) => (latency ? perSecond(latency.rate) : NONE) },
  { head: 'A', cell: ({ latency }) => (latency ? overhead(latency.a) : NONE) },
  { head: 'B', cell: ({ latency }) => (latency ? overhead(latency.b) : NONE) },
  { head: 'B − A', cell: ({ latency }) => (latency ? latencyDifference(latency) : NONE) },
  {
    head: 'B is',
    isText: true,
    cell: (load) => {
      const outcome = outcomeOfLoad(load);
      return COLOUR[outcome](WORD[outcome]);
    },
  },
];

const rate = (capacity: number | undefined) => (capacity === undefined ? 'none' : format(capacity));

function latencyDifference({ difference, interval }: LatencyComparison): string {
  const range = interval ? ` [${signed(interval.low, milliseconds)}, ${signed(interval.high, milliseconds)}]` : '';
  return `${signed(difference, milliseconds)}${range}`;
}

const signed = (value: number, text: (value: number) => string): string =>
  `${value < 0 ? '−' : '+'}${text(Math.abs(value))}`;
