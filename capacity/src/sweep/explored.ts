import type { SweepOutcome } from '../model/sweep.js';
import type { Measured } from '../judge/explore.js';

/** What measuring has shown; a soak that failed takes back what the step before it had promised. */
export function measuredOf(outcomes: SweepOutcome[]): Measured[] {
  const last = new Map(outcomes.filter((o) => o.purpose !== 'noise').map((o) => [o.id, o]));
  return [...last.values()].map(({ id, capacity, verdict }) => ({
    id,
    capacity,
    ...(verdict !== 'INCONCLUSIVE' && { meets: verdict === 'PASS' }),
  }));
}
