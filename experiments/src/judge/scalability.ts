import { COEFFICIENT_COUNT, fitScalability, type Estimate, type ScalabilityFit, type ScalePoint } from 'n8n-capacity';
import type { CellRecord } from '../record/schema.js';
import { isMatch } from '../spec/cells.js';
import type { Experiment } from '../spec/schema.js';
import { cellNumber, formatSignificant } from './measures.js';

/** A Markdown section that fits the Universal Scalability Law to the answered rate over the number of workers. */
export function scalabilitySection({ scalability }: Experiment, cells: CellRecord[]): string[] {
  const sentences = scalability.flatMap((filter) => {
    const points = cells
      .filter((cell) => isMatch(cell, filter))
      .flatMap((cell): ScalePoint[] => {
        const rate = cellNumber('rate', cell);
        return rate === undefined ? [] : [{ workers: Number(cell.of.workers), rate }];
      });
    if (points.length === 0) return [];
    const of = Object.entries(filter).map(([name, value]) => `${name} ${String(value)}`);
    return [`- ${of.join(', ')}: ${describeFit(points)}.`];
  });
  return sentences.length === 0 ? [] : ['### Scalability', sentences.join('\n')];
}

function describeFit(points: ScalePoint[]): string {
  if (points.length <= COEFFICIENT_COUNT)
    return `only ${points.length} numbers of workers were measured, and the law has ${COEFFICIENT_COUNT} coefficients: neither contention nor a number of workers above which capacity falls can be given`;
  const fit = fitScalability(points);
  if ('refused' in fit) return `no fit: ${fit.refused}`;
  const { lambda, sigma, kappa, peak } = fit;
  const coefficients = `λ = ${formatEstimate(lambda, '/s')} for one worker, contention σ = ${formatEstimate(sigma)}, coherency κ = ${formatEstimate(kappa)}`;
  return `${coefficients}; ${peak ? peakText(peak) : 'the fit has no maximum'}`;
}

/** The peak with its interval; without an interval no peak is given. */
function peakText(peak: NonNullable<ScalabilityFit['peak']>): string {
  if (!peak.interval) return 'the points do not bound a number of workers above which capacity falls';
  return peak.value < 1 ? 'a second worker gains nothing' : `capacity falls above ${formatEstimate(peak)} workers`;
}

/** Formats an estimate with its 95 % interval. */
function formatEstimate({ value, interval }: Estimate, unit = ''): string {
  const bounds =
    interval &&
    `${formatSignificant(interval.low)} to ${interval.high === undefined ? '∞' : formatSignificant(interval.high)}`;
  return `${formatSignificant(value)}${unit}${bounds ? ` (${bounds})` : ''}`;
}
