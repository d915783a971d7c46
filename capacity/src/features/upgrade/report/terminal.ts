import pc from 'picocolors';
import { exposureChangeText } from '../../../chart/exposure-text.js';
import { formatRate } from '../../../core/formats.js';
import type { Comparison, UpgradeConclusion, UpgradeFinding } from '../record.js';
import { replacedClauses, comparisonColumns, ENVIRONMENT_COLUMNS, survivalText } from './facts.js';
import { UPGRADE_WORDS } from './words.js';
import { labelledLine, textTable } from '../../../report/terminal/table.js';

const OUTCOMES: Record<UpgradeConclusion['outcome'], string> = {
  better: pc.green('BETTER'),
  same: pc.green('SAME'),
  worse: pc.red('WORSE'),
  open: pc.yellow('OPEN'),
};

const COLOURS: Partial<Record<UpgradeFinding, (text: string) => string>> = {
  better: pc.green,
  worse: pc.red,
  same: pc.dim,
};

/** Widest value of a variable in the terminal; the report shows all of it. */
const VALUE_WIDTH = 40;

/** The figures of both versions, the differences in the rendered chart, then the answer and the path of the report. */
export function formatUpgrade(conclusion: UpgradeConclusion): string {
  const {
    from,
    to,
    comparisons,
    environment,
    exposure,
    substitutes = {},
    survival,
    outcome,
    answer,
    rate,
    confidence,
    advice = [],
    report,
  } = conclusion;
  const columns = comparisonColumns(from, to);
  const finding = {
    ...columns.at(-1)!,
    cell: (c: Comparison) => (COLOURS[c.finding] ?? String)(UPGRADE_WORDS[c.finding]),
  };
  const [component, name, ...values] = ENVIRONMENT_COLUMNS;
  const changes = textTable(
    [component!, name!, ...values.map((column) => ({ ...column, width: VALUE_WIDTH }))],
    environment,
  );
  const lines = [
    ...Object.values(substitutes).map((why) => labelledLine('n8n:', why)),
    `${OUTCOMES[outcome].padEnd(12)} ${answer}`,
    ...(exposure ? [labelledLine('', `n8n ${to} ${exposureChangeText(exposure)}`)] : []),
    ...(survival ? [labelledLine('', survivalText(survival))] : []),
    ...(rate === undefined ? [] : [labelledLine('', `p95 is that of random arrivals at ${formatRate(rate)}`)]),
    ...replacedClauses(conclusion).map((clause) => labelledLine('', clause)),
    ...(confidence ? [labelledLine('', `${confidence.word}: ${confidence.text}`)] : []),
    ...advice.map((text) => labelledLine('', text)),
    labelledLine('Report:', report),
  ];
  const rendered = environment.length > 0 ? `\nThe chart renders differently:\n${changes}\n` : '';
  return `\n${textTable([...columns.slice(0, -1), finding], comparisons)}\n${rendered}\n${lines.join('\n')}\n`;
}
