import { formatChangeInterval, toMebibytes, formatMib, formatSeconds, formatRate } from '../../../core/formats.js';
import type { Comparison, EnvironmentChange, Quantity, Survival, UpgradeConclusion } from '../record.js';
import { NONE, type Column } from '../../../report/columns.js';
import { UPGRADE_WORDS, QUANTITY_WORDS } from './words.js';
import { replacedText } from '../../../report/replaced.js';

const TEXTS: Record<Quantity, (value: number) => string> = {
  throughput: formatRate,
  p95: formatSeconds,
  memory: (bytes) => formatMib(toMebibytes(bytes)),
  start: formatSeconds,
};

/** A row for each quantity; the columns of the versions are headed by them. */
export function comparisonColumns(from: string, to: string): Column<Comparison>[] {
  const text = (quantity: Quantity, value: number | undefined) => (value === undefined ? NONE : TEXTS[quantity](value));
  return [
    { head: '', isText: true, cell: ({ quantity }) => QUANTITY_WORDS[quantity] },
    { head: from, cell: (c) => text(c.quantity, c.from) },
    { head: to, cell: (c) => text(c.quantity, c.to) },
    { head: 'Change', cell: ({ ratio }) => (ratio ? formatChangeInterval(ratio) : NONE) },
    { head: 'Finding', isText: true, cell: ({ finding }) => UPGRADE_WORDS[finding] },
  ];
}

/** The result of an upgrade on the same database, as a sentence without a full stop. */
export function survivalText({ before, after, seconds, failed, skipped }: Survival): string {
  if (failed !== undefined) return `upgrade on its database: ${failed}`;
  if (skipped !== undefined) return skipped;
  const kept = Object.entries(before ?? {}).map(([table, rows]) => `${table} ${rows} → ${after?.[table] ?? 0}`);
  return `upgrade on its database: main served again after ${formatSeconds(seconds!)}, migrations included; rows: ${kept.join(', ')}`;
}

/** A variable of both versions. */
export const ENVIRONMENT_COLUMNS: Column<EnvironmentChange>[] = [
  { head: 'Component', isText: true, cell: ({ component }) => component },
  { head: 'Variable', isText: true, cell: ({ name }) => name },
  { head: 'From', isText: true, cell: ({ from }) => from ?? 'not set' },
  { head: 'To', isText: true, cell: ({ to }) => to ?? 'not set' },
];

/** Replaced dependencies: a clause for each version that has any. */
export const replacedClauses = ({ from, to, replaced = {} }: UpgradeConclusion): string[] =>
  [
    { version: from, of: replaced.from ?? {} },
    { version: to, of: replaced.to ?? {} },
  ].flatMap(({ version, of }) =>
    Object.keys(of).length === 0 ? [] : [`n8n ${version} ran with ${replacedText(of)}, as the registry lacks others`],
  );
