import { format, milliseconds, percent } from '../core/formats.js';
import type { SweepConclusion, SweepRow } from '../model/sweep.js';
import type { RunConclusion, JudgedStep, LoadVerdict, Verdict } from '../model/verdict.js';
import { burstFigures } from './terminal/burst.js';
import { arrivals } from './html/facts.js';

const STEP_WORDS: Record<Verdict, string> = { PASS: 'sustained', FAIL: 'broken', INCONCLUSIVE: 'inconclusive' };

/** A run as GitHub-flavoured Markdown, for the summary of a CI job: the verdict, a table a load, what to do next. */
export function runAsMarkdown({ verdict, confidence, recommendation, report, folder }: RunConclusion): string {
  return blocks(
    `## n8n-capacity: ${verdict.verdict}`,
    ...verdict.loads.flatMap((load) => [
      `**${text(load.load)}**: ${load.verdict}, ${text(load.conclusion)}.`,
      stepTable(load),
    ]),
    verdict.burst && table(['Burst', 'Measured'], burstFigures(verdict.burst), [0, 1]),
    `_${capital(confidence.word)}: ${text(confidence.text)}._`,
    recommendation && `### ${text(recommendation.title)}\n\n${text(recommendation.text)}`,
    recommendation?.values !== undefined && fenced(recommendation.values, 'yaml'),
    `Report: ${code(report ?? folder)}`,
  );
}

/** A sweep as GitHub-flavoured Markdown: the answer, a row a configuration, where the values are. */
export function sweepAsMarkdown({ name, verdict, answer, rows, recommended, report }: SweepConclusion): string {
  const names = Object.keys(rows[0]?.values ?? {});
  const head = [...names, 'Cores', 'GiB', 'Cost/h', 'Sustains/s', 'Cost/million', 'Status', 'Why'];
  const textColumns = [names.length + 5, names.length + 6];
  return blocks(
    `## n8n-capacity sweep: ${verdict}`,
    `**${text(name)}**: ${text(answer)}.`,
    rows.length > 0 &&
      table(
        head,
        rows.map((row) => sweepCells(row, names)),
        textColumns,
      ),
    recommended && `Values: ${code(recommended.values)}`,
    `Report: ${code(report)}`,
  );
}

function stepTable({ steps }: LoadVerdict): string | false {
  if (steps.length === 0) return false;
  const head = ['Arrivals', 'Answered/s', 'Completed', 'Failed', 'p50', 'p95', 'p99', 'Verdict', 'Why'];
  return table(head, steps.map(stepCells), [7, 8]);
}

function stepCells({ step, judged }: JudgedStep): string[] {
  const { summary, executions } = step;
  const seconds = (step.measuredTo - step.measuredFrom) / 1000;
  const latency = (key: 'p50' | 'p95' | 'p99') => (summary.latency ? `+${milliseconds(summary.latency[key])}` : '–');
  return [
    arrivals(step),
    format(summary.answered / seconds),
    executions ? `${executions.completed} of ${executions.accepted}` : 'unknown',
    `${summary.failed} (≤ ${percent(judged.errorRateUpperBound)})`,
    latency('p50'),
    latency('p95'),
    latency('p99'),
    STEP_WORDS[judged.verdict],
    judged.reasons.map((r) => r.text).join('; '),
  ];
}

function sweepCells({ values, cost, capacity, perMillion, status, text: why }: SweepRow, names: string[]): string[] {
  return [
    ...names.map((key) => String(values[key])),
    cost ? format(cost.cores) : '–',
    cost ? format(cost.memoryGib) : '–',
    cost ? cost.perHour.toFixed(3) : '–',
    capacity === undefined ? '–' : `${status === 'dominated' ? '≥ ' : ''}${format(capacity)}`,
    perMillion === undefined ? '–' : perMillion.toFixed(2),
    status,
    why,
  ];
}

/** Numbers are aligned to the right; the columns in `textColumns` to the left. */
function table(head: string[], rows: string[][], textColumns: number[]): string {
  const line = (cells: string[]) => `| ${cells.map(text).join(' | ')} |`;
  const rule = head.map((_, i) => (textColumns.includes(i) ? ':--' : '--:'));
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

const blocks = (...all: (string | false | undefined)[]): string => `${all.filter(Boolean).join('\n\n')}\n`;

/** Text from a record on one line, in which nothing is Markdown or HTML. */
const text = (value: string): string =>
  value.replace(/[\\`*_[\]|<>~#]/g, (character) => `\\${character}`).replace(/\s*\n\s*/g, ' ');

/** In code spans and blocks nothing is escaped: the fence is longer than any in the text. */
const code = (value: string): string => {
  const ticks = '`'.repeat(longestTicks(value) + 1);
  const space = value.startsWith('`') || value.endsWith('`') ? ' ' : '';
  return `${ticks}${space}${value}${space}${ticks}`;
};
const fenced = (value: string, language: string): string => {
  const fence = '`'.repeat(Math.max(3, longestTicks(value) + 1));
  return `${fence}${language}\n${value.trimEnd()}\n${fence}`;
};
const longestTicks = (value: string): number => Math.max(0, ...(value.match(/`+/g) ?? []).map((run) => run.length));
const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
