import type { SweepOutcome, SweepRecord } from './record.js';
import type { Prices } from '../../model/cost.js';
import type { LoadVerdict } from '../../model/verdict.js';
import { shortOfSlots } from '../../judge/bounds.js';
import { costPerHour } from '../../judge/cost.js';
import { standingAt } from '../../judge/sustained.js';

/** An outcome with the judged load of its run; undefined if n8n did not start. */
export interface OutcomeOfRun {
  outcome: SweepOutcome;
  load?: LoadVerdict;
}

/**
 * The record of a sweep as if it had asked for another rate and other prices. Outcomes that do not decide the new rate are
 * dropped, so their configurations count as not measured.
 * @param target executions per second that must be sustained
 */
export function judgeAtNewTarget(
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
        .map((c) => ({ ...c, cost: { ...c.cost, perHour: costPerHour(c.cost, prices) } })),
      excluded: [
        ...record.excluded,
        ...short.map(({ id, values, bound }) => ({ id, values, reason: shortOfSlots(bound!, target), bound: bound! })),
      ],
    },
    outcomes: runs
      .filter(({ outcome }) => short.every(({ id }) => id !== outcome.id))
      .flatMap(({ outcome, load }) => (load ? outcomeAtTarget(outcome, load, target) : [outcome])),
  };
}

function outcomeAtTarget(
  { challenge: _, ...outcome }: SweepOutcome,
  load: LoadVerdict,
  target: number,
): SweepOutcome[] {
  const standing = standingAt(load, target);
  if (standing === 'unknown') return [];
  return [{ ...outcome, verdict: standing === 'held' ? 'PASS' : 'FAIL' }];
}
