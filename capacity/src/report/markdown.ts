import { capitalized } from '../core/formats.js';
import { exposureText } from '../chart/exposure-text.js';
import type { LoadVerdict, RunConclusion } from '../model/verdict.js';
import { burstFacts, cellText, FACT_COLUMNS, PAYLOAD_COLUMNS, STEP, type Column } from './columns.js';

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
    `_${capitalized(confidence.word)}: ${text(confidence.text)}._`,
    recommendation && `### ${text(recommendation.title)}\n\n${text(recommendation.text)}`,
    recommendation?.values !== undefined && fenced(recommendation.values, 'yaml'),
    `Report: ${code(report ?? folder)}`,
  );
}

const stepTable = ({ steps }: LoadVerdict): string =>
  table([STEP.arrivals, STEP.answered, STEP.executions, STEP.failed, ...STEP.latency, STEP.verdict, STEP.why], steps);

/** Empty without a row. */
export function table<Row>(columns: Column<Row>[], rows: Row[]): string {
  if (rows.length === 0) return '';
  const line = (cells: string[]) => `| ${cells.map(text).join(' | ')} |`;
  const rule = columns.map(({ isText }) => (isText ? ':--' : '--:'));
  return [
    line(columns.map(({ head }) => head)),
    `| ${rule.join(' | ')} |`,
    ...rows.map((row) => line(columns.map((column) => cellText(column, row)))),
  ].join('\n');
}

export const blocks = (...all: (string | false | undefined)[]): string => `${all.filter(Boolean).join('\n\n')}\n`;

/** Text from a record on one line, with the characters of Markdown and HTML escaped. */
export const text = (value: string): string =>
  value.replace(/[\\`*_[\]|<>~#]/g, (character) => `\\${character}`).replace(/\s*\n\s*/g, ' ');

/** A code span. Nothing is escaped in it, so its fence is longer than any in the text. */
export const code = (value: string): string => {
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
