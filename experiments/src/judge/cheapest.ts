import { describeConfiguration } from 'n8n-capacity';
import type { CellRecord } from '../record/schema.js';
import { isMatch } from '../spec/cells.js';
import type { Experiment } from '../spec/schema.js';
import { cellNumber, cellText } from './measures.js';
import { requiredAnswers } from './usable.js';

/**
 * A Markdown section that names, for each entry of `cheapest`, the cheapest cell that held its rate within the objective. It does
 * not recommend the cell, because one run confirms nothing.
 */
export function cheapestSection({ cheapest, parts }: Experiment, cells: CellRecord[]): string[] {
  const sentences = cheapest.flatMap(({ part, p99 }) => {
    const measured = cells.filter((cell) => isMatch(cell, { part }) && cell.load !== undefined);
    if (measured.length === 0) return [];
    const title = parts.find((p) => p.part === part)!.title;
    const all = `${measured.length} configurations`;
    const condition = `held the rate with a p99 within ${p99} s`;
    const best = measured
      .filter((cell) => isHeldWithin(cell, p99))
      .sort((a, b) => a.reserved!.perHour - b.reserved!.perHour)[0];
    if (!best) return [`- ${title}: none of ${all} ${condition}.`];
    const { cores, memoryMib } = best.reserved!;
    return [
      `- ${title}: **${describeConfiguration({ values: best.of })}** is the cheapest that ${condition}, of ${all} ` +
        `(p99 ${cellText('p99', best)}, ${cores} cores and ${Math.round(memoryMib)} MiB reserved in total). ${confidenceText(best)}`,
    ];
  });
  return sentences.length === 0 ? [] : ['## Cheapest configuration that held the rate', sentences.join('\n')];
}

const isHeldWithin = (cell: CellRecord, p99: number): boolean =>
  cell.reserved !== undefined && cellText('held', cell) === 'holds' && (cellNumber('p99', cell) ?? Infinity) <= p99;

function confidenceText({ load }: CellRecord): string {
  const [answers, least] = [load!.answered, requiredAnswers('p99')];
  const few =
    answers < least ? `${answers} answers are too few for a p99 (at least ${least} are needed), and one` : 'One';
  return `${few} run confirms nothing: before you deploy it, run \`n8n-capacity validate\` with your own workflow.`;
}
