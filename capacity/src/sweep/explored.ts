import type { Measured } from '../judge/explore.js';
import type { Outcome } from './types.js';

/** What measuring has shown; a soak that failed takes back what the step before it had promised. */
export function measuredOf(outcomes: Outcome[]): Measured[] {
  const last = new Map(outcomes.filter((o) => o.purpose !== 'noise').map((o) => [o.id, o]));
  return [...last.values()].map(({ id, capacity, verdict }) => ({
    id,
    capacity,
    ...(verdict !== 'INVALID' && { meets: verdict === 'PASS' }),
  }));
}
