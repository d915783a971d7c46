import Table from 'cli-table3';
import type { JudgedClaim } from '../judge/claims.js';
import { MEASURES, formatSignificant } from '../judge/measures.js';

/** The verdicts as Markdown. */
export const VERDICTS: Record<JudgedClaim['verdict'], string> = {
  holds: 'holds',
  fails: '**does not hold**',
  INCONCLUSIVE: '**INCONCLUSIVE**',
  'not measured': 'not measured yet',
};

/** The claims with their results, as a Markdown table. */
export function claimsTable(judged: JudgedClaim[]): string {
  const rows = judged.map(({ claim, verdict, measured }) => [
    claim.says,
    boundText(claim),
    claim.origin === undefined ? '–' : originText(claim),
    measured,
    VERDICTS[verdict],
  ]);
  return markdownTable(['claim', 'asked', 'origin', 'here', ''], rows);
}

/** The bounds of a claim as text. */
export function boundText({ measure, over, atLeast, atMost, is }: JudgedClaim['claim']): string {
  if (is) return is.join(' or ');
  const text = (value: number) => (over ? `${formatSignificant(value)} ×` : MEASURES[measure]!.text(value));
  return [atLeast !== undefined && `≥ ${text(atLeast)}`, atMost !== undefined && `≤ ${text(atMost)}`]
    .filter(Boolean)
    .join(', ');
}

/** The origin's figure as text; `–` if there is none. */
export const originText = ({ measure, over, origin }: JudgedClaim['claim']): string =>
  origin === undefined ? '–' : over ? `${formatSignificant(origin)} ×` : MEASURES[measure]!.text(origin);

/** The claims with their results, for a terminal. */
export function claimsText(name: string, judged: JudgedClaim[]): string {
  const table = new Table({
    head: ['claim', 'asked', 'measured', ''],
    style: { head: [], border: [] },
    colWidths: [46, 22, 34, 14],
    wordWrap: true,
  });
  for (const { claim, measured, verdict } of judged) table.push([claim.says, boundText(claim), measured, verdict]);
  const count = (verdict: JudgedClaim['verdict']) => judged.filter((j) => j.verdict === verdict).length;
  return `${name}: ${count('holds')} of ${judged.length} claims hold, ${count('fails')} do not, ${count('INCONCLUSIVE')} are INCONCLUSIVE, ${count('not measured')} were not measured\n${table.toString()}\n`;
}

/** A Markdown table. */
export function markdownTable(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
