import { formatRate } from '../../../core/formats.js';
import type { ConfirmConclusion, ConfirmTry } from '../record.js';
import type { Column } from '../../../report/columns.js';
import { OUTCOME_VERDICTS, OUTCOME_WORDS } from './words.js';
import { COLOURS, labelledLine, textTable, verdictLine } from '../../../report/terminal/table.js';

const COLUMNS: (Column<ConfirmTry> & { width?: number })[] = [
  { head: 'Deployment', cell: ({ deployment }) => String(deployment) },
  { head: 'Arrivals', cell: ({ rate }) => formatRate(rate) },
  { head: 'Outcome', isText: true, cell: ({ outcome }) => COLOURS[OUTCOME_VERDICTS[outcome]](OUTCOME_WORDS[outcome]) },
  { head: 'Why', isText: true, width: 80, cell: ({ why = '' }) => why },
];

/** The answer for each load, then what each fresh deployment showed, and the paths of the values and the records. */
export function formatConfirmation({ loads, confidence, recommended, report, folder }: ConfirmConclusion): string {
  const lines = [
    ...loads.map(({ load, verdict, conclusion }) => verdictLine(verdict, `${load}: ${conclusion}`)),
    ...(confidence ? [labelledLine('', `${confidence.word}: ${confidence.text}`)] : []),
  ];
  const tables = loads.map(({ load, tries }) => `${load}\n${textTable(COLUMNS, tries)}`);
  const files = [
    ...(recommended ? [labelledLine('Recommended:', recommended)] : []),
    labelledLine('Report:', report),
    labelledLine('Records:', folder),
  ];
  return `\n${lines.join('\n')}\n\n${tables.join('\n\n')}\n\n${files.join('\n')}\n`;
}
