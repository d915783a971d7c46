import type { Prices, SweepOutcome, SweepRecord } from '../model/sweep.js';
import type { LoadVerdict } from '../model/verdict.js';
import { shortOfSlots } from '../judge/bounds.js';
import { perHour } from '../judge/cost.js';
import { standingAt } from '../judge/standing.js';

/** An outcome with the judged run that it is of; none where n8n did not come up. */
export interface OutcomeOfRun {
  outcome: SweepOutcome;
  load?: LoadVerdict;
}

/**
 * A sweep as it would read had it been asked for another rate at other prices: what was measured answers where it can, and
 * what it cannot tell is not measured.
 * @param target executions per second that must be sustained
 */
export function askAgain(
  record: SweepRecord,
  runs: OutcomeOfRun[],
  target: number,
  prices: Prices,
): { record: SweepRecord; outcomes: SweepOutcome[] } {
  const short = record.candidates.filter(({ bound }) => bound !== undefined && bound < target);
  return {
    record: {
      ...record,
      target,
      plan: { ...record.plan, prices, explore: 'front' },
      candidates: record.candidates
        .filter((c) => !short.includes(c))
        .map((c) => ({ ...c, cost: { ...c.cost, perHour: perHour(c.cost, prices) } })),
      excluded: [
        ...record.excluded,
        ...short.map(({ id, values, bound }) => ({ id, values, reason: shortOfSlots(bound!, target), bound: bound! })),
      ],
    },
    outcomes: runs
      .filter(({ outcome }) => short.every(({ id }) => id !== outcome.id))
      .flatMap(({ outcome, load }) => (load ? answerOf(outcome, load, target) : [outcome])),
  };
}

function answerOf({ challenge: _, ...outcome }: SweepOutcome, load: LoadVerdict, target: number): SweepOutcome[] {
  const standing = standingAt(load, target);
  if (standing === 'unknown') return [];
  return [{ ...outcome, verdict: standing === 'held' ? 'PASS' : 'FAIL' }];
}
