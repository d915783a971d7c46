import pc from 'picocolors';
import { formatChangeInterval, formatChange, formatRate } from '../../../core/formats.js';
import type { ChangeEffect, Finding, Setting, TuneConclusion } from '../record.js';
import { failuresText } from './facts.js';
import { NONE, type Column } from '../../../report/columns.js';
import { FINDING_WORDS } from './words.js';
import { labelledLine, textTable } from '../../../report/terminal/table.js';

const OUTCOME_WORDS: Record<TuneConclusion['outcome'], string> = {
  confirmed: pc.green('BETTER'),
  nothing: 'NOTHING',
  open: pc.yellow('OPEN'),
};

/** A row for each change, then the answer and the paths of the values and the report. */
export function formatTune(conclusion: TuneConclusion): string {
  const { effects, leftOut, answer, outcome, gain, confidence, advice = [], values, report } = conclusion;
  const lines = [
    `${OUTCOME_WORDS[outcome].padEnd(12)} ${answer}`,
    ...(gain
      ? [
          labelledLine(
            '',
            `${formatRate(gain.baseline)} before, ${formatRate(gain.tuned)} with them, in fresh deployments by turns`,
          ),
        ]
      : []),
    ...Object.entries(gain?.loads ?? {}).map(([load, ratio]) =>
      labelledLine('', `${load}: ${formatChangeInterval(ratio)}`),
    ),
    ...(gain?.latency
      ? [
          labelledLine(
            '',
            `p95 at ${formatRate(gain.latency.rate)}, the same for both: ${formatChangeInterval(gain.latency.ratio)}`,
          ),
        ]
      : []),
    ...(confidence ? [labelledLine('', `${confidence.word}: ${confidence.text}`)] : []),
    ...advice.map((text) => labelledLine('', text)),
    ...(leftOut.length > 0 ? [labelledLine('', `not tried: ${leftOut.length}; the report says why`)] : []),
    ...(values === undefined ? [] : [labelledLine('Values:', values)]),
    labelledLine('Report:', report),
  ];
  return `\n${textTable(COLUMNS, effects)}\n\n${lines.join('\n')}\n`;
}

const COLUMNS: Column<ChangeEffect>[] = [
  { head: 'Setting', isText: true, cell: ({ change: { name } }) => name },
  { head: 'Value', isText: true, cell: ({ change: { to } }) => String(to) },
  { head: 'Costs', isText: true, cell: ({ change: { trades } }) => (trades === 'nothing' ? '' : trades) },
  { head: 'Throughput', cell: ({ throughput }) => (throughput ? formatChangeInterval(throughput) : NONE) },
  { head: 'Memory', cell: ({ memory }) => (memory ? formatChange(memory.ratio) : NONE) },
  { head: 'p95', cell: ({ p95 }) => (p95 ? formatChange(p95.ratio) : NONE) },
  { head: 'Finding', isText: true, cell: (row) => findingText(row) },
];

const COLOURS: Partial<Record<Finding, (text: string) => string>> = {
  more: pc.green,
  less: pc.red,
  fails: pc.red,
  none: pc.dim,
  noGain: pc.dim,
};

function findingText(effect: ChangeEffect): string {
  const failed = failuresText(effect);
  const text = FINDING_WORDS[effect.finding];
  return (COLOURS[effect.finding] ?? String)(failed === undefined ? text : `${text}: ${failed}`);
}

/** The settings that can be tried, a row for each. */
export const formatSettings = (settings: Setting[]): string =>
  `${textTable<Setting>(
    [
      { head: 'Id', isText: true, cell: ({ id }) => id },
      { head: 'Sets', isText: true, cell: ({ value, env, other }) => value ?? env ?? other ?? NONE },
      { head: 'To', isText: true, cell: ({ candidates }) => candidates.map(String).join(', ') },
      { head: 'Costs', isText: true, cell: ({ trades }) => trades },
      {
        head: 'What',
        isText: true,
        cell: ({ title, cannot }) => (cannot === undefined ? title : `${title} (cannot be tried: ${cannot})`),
        width: 60,
      },
    ],
    settings,
  )}\n`;
