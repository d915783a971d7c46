import type { LoadVerdict } from '../model/verdict.js';

/** What a run says of a rate: sustained, not sustained, or not known. */
export type Standing = 'held' | 'broken' | 'unknown';

/** Rates that are given in different ways, as 20 × 1.3 and 26, may differ in their last bits. */
const ROUNDING = 1e-6;

/**
 * Whether a load was shown to sustain a rate. More than a rate that broke it breaks it too, and less than one that held
 * holds too; between the two nothing is known.
 * @param rate arrivals per second
 */
export function standingAt({ verdict, capacity, broken }: LoadVerdict, rate: number): Standing {
  if (broken !== undefined && broken <= rate * (1 + ROUNDING)) return 'broken';
  const held = capacity !== undefined && capacity >= rate * (1 - ROUNDING);
  return held && verdict !== 'INCONCLUSIVE' ? 'held' : 'unknown';
}
