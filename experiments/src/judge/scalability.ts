import { fitScalability, type Estimate, type ScalabilityFit, type ScalePoint } from 'n8n-capacity';
import type { CellRecord } from '../record/schema.js';
import { fits } from '../spec/cells.js';
import type { Experiment } from '../spec/schema.js';
import { cellNumber, significant } from './measures.js';

/** The Universal Scalability Law of the answered rate over the number of workers, a sentence for each fit. */
export function scalabilityOf({ scalability }: Experiment, cells: CellRecord[]): string[] {
  const sentences = scalability.flatMap((filter) => {
    const points = cells
      .filter((cell) => fits(cell, filter))
      .flatMap((cell): ScalePoint[] => {
        const rate = cellNumber('rate', cell);
        return rate === undefined ? [] : [{ workers: Number(cell.of.workers), rate }];
      });
    if (points.length === 0) return [];
    const of = Object.entries(filter).map(([name, value]) => `${name} ${String(value)}`);
    const fit = fitScalability(points);
    return [`- ${of.join(', ')}: ${'refused' in fit ? `no fit: ${fit.refused}` : law(fit, points.length)}.`];
  });
  return sentences.length === 0 ? [] : ['### Scalability', sentences.join('\n')];
}

/** λ, σ and κ. */
const COEFFICIENTS = 3;

function law({ lambda, sigma, kappa, peak }: ScalabilityFit, points: number): string {
  const text = ({ value }: Estimate) => significant(value);
  const most = peak
    ? peak.value < 1
      ? '; a second worker gains nothing'
      : `; above ${significant(peak.value)} workers, capacity falls`
    : '; the fit has no maximum';
  const sure = points > COEFFICIENTS ? '' : ' (as many points as coefficients, so the error is unknown)';
  return `λ = ${text(lambda)}/s for one worker, contention σ = ${text(sigma)}, coherency κ = ${text(kappa)}${sure}${most}`;
}
