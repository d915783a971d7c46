import { blocks, text, table, code } from '../../../report/markdown.js';
import type { SweepConclusion } from '../record.js';
import { sweepColumns, statusReason } from './columns.js';

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
