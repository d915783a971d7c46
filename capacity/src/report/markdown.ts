import { exposureText } from '../chart/exposure-text.js';
import { format, perSecond } from '../core/formats.js';
import type { FaultRow, FaultsConclusion } from '../features/faults/record.js';
import type { SweepConclusion } from '../features/sweep/record.js';
import type { LoadVerdict, RunConclusion } from '../model/verdict.js';
import {
  burstFacts,
  cellText,
  FACT_COLUMNS,
  PAYLOAD_COLUMNS,
  STEP,
  statusReason,
  sweepColumns,
  type Column,
} from './columns.js';
import { FAULT_COLUMNS, faultDetails } from '../features/faults/report/facts.js';

/** A run as GitHub-flavoured Markdown, for the summary of a CI job: the verdict, a table for each load, what to do next. */
export function runAsMarkdown(conclusion: RunConclusion): string {
  const { n8n, exposure, verdict, answers, confidence, recommendation, report, folder } = conclusion;
  const { payloadLimits } = verdict;
  return blocks(
    `## n8n-capacity: ${verdict.verdict}`,
    n8n.why !== undefined && `**${text(n8n.why)}.**`,
    exposure && `${text(exposureText(exposure))}.`,
    ...(payloadLimits
      ? [table(PAYLOAD_COLUMNS, payloadLimits), ...payloadLimits.map((l) => `${l.clients} clients: ${text(l.text)}.`)]
      : verdict.loads.flatMap((load, i) => [
          `**${text(load.load)}**: ${load.verdict}, ${text(answers[i]!.headline)}.`,
          ...answers[i]!.details.map((detail) => `- ${text(detail)}`),
          stepTable(load),
        ])),
    verdict.burst && table(FACT_COLUMNS, burstFacts(verdict.burst)),
    `_${capital(confidence.word)}: ${text(confidence.text)}._`,
    recommendation && `### ${text(recommendation.title)}\n\n${text(recommendation.text)}`,
    recommendation?.values !== undefined && fenced(recommendation.values, 'yaml'),
    `Report: ${code(report ?? folder)}`,
  );
}

const stepTable = ({ steps }: LoadVerdict): string =>
  table([STEP.arrivals, STEP.answered, STEP.executions, STEP.failed, ...STEP.latency, STEP.verdict, STEP.why], steps);

/** A sweep as GitHub-flavoured Markdown: the answer, a row for each configuration, the path of the values. */
export function sweepAsMarkdown({ name, verdict, answer, rows, cheapest, report }: SweepConclusion): string {
  const { cores, memory, cost, capacity, perMillion, status } = sweepColumns('Cost');
  const dimensions = Object.keys(rows[0]?.values ?? {}).map((head) => ({
    head,
    cell: (row: (typeof rows)[number]) => String(row.values[head]),
  }));
  const why = { head: 'Why', isText: true as const, cell: statusReason };
  return blocks(
    `## n8n-capacity sweep: ${verdict}`,
    `**${text(name)}**: ${text(answer)}.`,
    table([...dimensions, cores, memory, cost, capacity, perMillion, status, why], rows),
    cheapest && `Values: ${code(cheapest.values)}`,
    `Report: ${code(report)}`,
  );
}

/** A run of `faults` as GitHub-flavoured Markdown: the answer, a row for each fault, what is to know of each. */
export function faultsAsMarkdown({
  verdict,
  answer,
  rows,
  askedWhy,
  exposure,
  rate,
  workSeconds,
  folder,
}: FaultsConclusion): string {
  return blocks(
    `## n8n-capacity faults: ${verdict}`,
    askedWhy !== undefined && `**${text(askedWhy)}.**`,
    `**${text(answer)}.** Sent at ${perSecond(rate)}, executions of ${format(workSeconds)} s.`,
    exposure && `${text(exposureText(exposure))}.`,
    faultsTable(rows),
    faultsList(rows),
    `Record: ${code(folder)}`,
  );
}

/** A row for each fault, with its verdict. */
export const faultsTable = (rows: FaultRow[]): string =>
  table([...FAULT_COLUMNS, { head: 'Verdict', isText: true, cell: ({ verdict }) => verdict }], rows);

/** What is to know of each fault. */
export const faultsList = (rows: FaultRow[]): string =>
  rows.map((row) => `- **${row.fault}**: ${faultDetails(row).map(text).join('. ')}.`).join('\n');

/** Empty without a row. */
function table<Row>(columns: Column<Row>[], rows: Row[]): string {
  if (rows.length === 0) return '';
  const line = (cells: string[]) => `| ${cells.map(text).join(' | ')} |`;
  const rule = columns.map(({ isText }) => (isText ? ':--' : '--:'));
  return [
    line(columns.map(({ head }) => head)),
    `| ${rule.join(' | ')} |`,
    ...rows.map((row) => line(columns.map((column) => cellText(column, row)))),
  ].join('\n');
}

const blocks = (...all: (string | false | undefined)[]): string => `${all.filter(Boolean).join('\n\n')}\n`;

/** Text from a record on one line, with the characters of Markdown and HTML escaped. */
const text = (value: string): string =>
  value.replace(/[\\`*_[\]|<>~#]/g, (character) => `\\${character}`).replace(/\s*\n\s*/g, ' ');

/** A code span. Nothing is escaped in it, so its fence is longer than any in the text. */
const code = (value: string): string => {
  const ticks = '`'.repeat(longestTicks(value) + 1);
  const space = value.startsWith('`') || value.endsWith('`') ? ' ' : '';
  return `${ticks}${space}${value}${space}${ticks}`;
};

/** A code block, with a fence that is longer than any in the text. */
const fenced = (value: string, language: string): string => {
  const fence = '`'.repeat(Math.max(3, longestTicks(value) + 1));
  return `${fence}${language}\n${value.trimEnd()}\n${fence}`;
};

const longestTicks = (value: string): number => Math.max(0, ...(value.match(/`+/g) ?? []).map((run) => run.length));
const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
