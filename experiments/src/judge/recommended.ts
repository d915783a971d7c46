import { describeConfiguration } from 'n8n-capacity';
import type { CellRecord } from '../record/schema.js';
import { fits } from '../spec/cells.js';
import type { Experiment } from '../spec/schema.js';
import { cellNumber, cellText } from './measures.js';

/** The cheapest cell of a part whose p99 and share of failed requests are within the objective, with a sentence for each. */
export function recommendedOf({ recommend, parts }: Experiment, cells: CellRecord[]): string[] {
  const sentences = recommend.flatMap(({ part, p99, errors }) => {
    const measured = cells.filter((cell) => fits(cell, { part }) && cell.load !== undefined);
    if (measured.length === 0) return [];
    const title = parts.find((p) => p.part === part)!.title;
    const objective = `p99 within ${p99} s and at most ${errors * 100} % failed`;
    const best = cheapest(measured, p99, errors);
    if (!best) return [`- ${title}: none of ${measured.length} configurations meets ${objective}.`];
    return [
      `- ${title}: **${describeConfiguration({ values: best.of })}** is the cheapest of ${measured.length} configurations that meets ${objective} ` +
        `(p99 ${cellText('p99', best)}, ${best.reserved!.cores} cores and ${Math.round(best.reserved!.memoryMib)} MiB reserved in total).`,
    ];
  });
  return sentences.length === 0 ? [] : ['## Recommended', sentences.join('\n')];
}

function cheapest(cells: CellRecord[], p99: number, errors: number): CellRecord | undefined {
  const meets = cells.filter(
    (cell) =>
      cell.reserved !== undefined &&
      (cellNumber('p99', cell) ?? Infinity) <= p99 &&
      (cellNumber('failedShare', cell) ?? 1) <= errors &&
      cell.load!.dropped === 0 &&
      cell.events.every((e) => e.kind !== 'died'),
  );
  return meets.sort((a, b) => a.reserved!.perHour - b.reserved!.perHour)[0];
}
