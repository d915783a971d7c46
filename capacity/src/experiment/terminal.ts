import Table from 'cli-table3';
import type { JudgedClaim } from './claims.js';
import { asked } from './page.js';

/** The claims with what was measured, for a terminal. */
export function claimsText(name: string, judged: JudgedClaim[]): string {
  const table = new Table({
    head: ['claim', 'asked', 'measured', ''],
    style: { head: [], border: [] },
    colWidths: [46, 22, 34, 14],
    wordWrap: true,
  });
  for (const { claim, measured, verdict } of judged) table.push([claim.says, asked(claim), measured, verdict]);
  const count = (verdict: JudgedClaim['verdict']) => judged.filter((j) => j.verdict === verdict).length;
  return `${name}: ${count('holds')} of ${judged.length} claims hold, ${count('fails')} do not, ${count('not measured')} were not measured\n${table.toString()}\n`;
}
