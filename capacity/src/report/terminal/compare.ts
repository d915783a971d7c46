import { format, milliseconds, percent } from '../../core/formats.js';
import Table from 'cli-table3';
import pc from 'picocolors';
import { type CompareConclusion, outcomeOfLoad, type LoadComparison } from '../../judge/compare.js';
import type { LatencyComparison, ComparisonOutcome } from '../../judge/compare-latency.js';
import { BORDERLESS } from './style.js';

const COLOUR: Record<ComparisonOutcome, (text: string) => string> = {
  better: pc.green,
  worse: pc.red,
  tie: (text) => text,
};
const STYLE = { style: { head: [], border: [], compact: true }, chars: BORDERLESS };
const VERDICT_TEXT: Record<ComparisonOutcome, string> = {
  better: 'B is better',
  worse: 'B is worse',
  tie: 'no difference can be told',
};

const SOURCE: Record<CompareConclusion['noise']['source'], string> = {
  asked: '--noise',
  measured: 'measured where the runs were',
  assumed: 'assumed, since no sweep has measured it for these runs',
};

/** What differs, a line a load, what cannot be compared, and the answer last. */
export function printComparison(conclusion: CompareConclusion): string {
  const { a, b, outcome, loads, notComparable, noise } = conclusion;
  const blocks = [
    `A: ${a}\nB: ${b}`,
    differenceTable(conclusion),
    `Noise: ${percent(noise.rate)} of a rate, ${percent(noise.latency)} of a latency (${SOURCE[noise.source]}).`,
    ...(loads.length > 0 ? [loadTable(loads)] : []),
    ...notComparable.map(({ load, reason }) => `${pc.yellow('not comparable')} ${load}: ${reason}`),
    outcome ? COLOUR[outcome](VERDICT_TEXT[outcome]) : pc.yellow('nothing can be compared'),
  ];
  return `\n${blocks.join('\n\n')}\n`;
}

function differenceTable({ differences }: CompareConclusion): string {
  if (differences.length === 0) return 'Versions, machine, deployment, plan and values are the same.';
  const table = new Table({ head: ['differs', '', 'A', 'B'], ...STYLE });
  for (const { kind, what, a, b } of differences) {
    const none = pc.dim(kind === 'value' ? 'default' : '-');
    table.push([kind, what, a ?? none, b ?? none]);
  }
  return table.toString();
}

function loadTable(loads: LoadComparison[]): string {
  const table = new Table({
    head: ['load', 'A sustains/s', 'B sustains/s', 'difference', 'tie within', 'p95 at', 'A', 'B', 'B − A', 'B is'],
    ...STYLE,
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'left'],
  });
  for (const compared of loads) {
    const { load, a, b, difference, band, latency } = compared;
    const outcome = outcomeOfLoad(compared);
    table.push([
      load,
      rate(a),
      rate(b),
      difference === undefined ? '-' : signed(difference, percent),
      percent(band),
      ...latencyCells(latency),
      COLOUR[outcome](outcome === 'tie' ? 'a tie' : outcome),
    ]);
  }
  return table.toString();
}

function latencyCells(latency: LatencyComparison | undefined): string[] {
  if (!latency) return ['-', '-', '-', '-'];
  const { rate, a, b, difference, interval } = latency;
  const range = interval ? ` [${signed(interval.low, milliseconds)}, ${signed(interval.high, milliseconds)}]` : '';
  return [
    `${format(rate)}/s`,
    `+${milliseconds(a)}`,
    `+${milliseconds(b)}`,
    `${signed(difference, milliseconds)}${range}`,
  ];
}

const rate = (capacity: number | undefined) => (capacity === undefined ? 'none' : format(capacity));

const signed = (value: number, text: (value: number) => string): string =>
  `${value < 0 ? '−' : '+'}${text(Math.abs(value))}`;
