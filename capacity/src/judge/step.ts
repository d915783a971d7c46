import type { StepVerdict, Reason, Verdict } from '../model/verdict.js';
import type { StepRecord } from '../model/step.js';
import { SHARE_ABOVE, type Slo } from '../model/plan.js';
import { deathReasons } from './events.js';
import { growing } from './growing.js';
import { slowedBy, inconclusiveReasons, unended, unseenReasons } from './inconclusive.js';
import { memoryReasons, memoryUnmeasured } from './memory.js';
import { brokenClaims, judgeClaims, countErrors, openClaims, partClaims, type Claim } from './objectives.js';
import { divideUnended } from './removed.js';
import { upperBound95 } from '../stats/intervals.js';

/**
 * Judges one step from its record alone. A disturbance outside the deployment makes the step INCONCLUSIVE, unless an instance
 * of the deployment died (see `weigh`).
 */
export function judgeStep(step: StepRecord, slo: Slo): StepVerdict {
  const { failed: failures, requests } = countErrors([step]);
  const claims = judgeClaims([step], slo);
  const parts = partClaims([step], slo);
  const missing = divideUnended(step, incomplete(step));
  const broken = brokenClaims([...(step.aborted ? claims.map(decided) : claims), ...parts]);
  const failed = [...deathReasons(step), ...memoryReasons(step), ...broken, ...missing.failed, ...growing(step, slo)];
  const unclear = [
    // A bound proves that an objective is broken, however few the requests are.
    ...inconclusiveReasons(step, broken.length > 0 ? Infinity : requests),
    ...unseenReasons(step),
    ...missing.unknown,
    ...(failed.length > 0 ? slowedBy(step) : []),
  ];
  const judged = weigh(failed, unclear);
  // What a part of a mix meets need not be proved of it alone: its share may be small.
  const open = [...openClaims([...claims, ...parts.filter((c) => !c.met)]), ...memoryUnmeasured(step)];
  const verdict = judged === 'PASS' && open.length > 0 ? 'INCONCLUSIVE' : judged;
  return {
    verdict,
    reasons: judged === 'FAIL' ? failed : judged === 'INCONCLUSIVE' ? unclear : open,
    errorRate: requests === 0 ? 0 : failures / requests,
    errorRateUpperBound: upperBound95(failures, requests),
  };
}

/** Nothing that could have followed would have met a percentile that was not met when k6 ended the step (see `decidedBy`). */
const decided = (claim: Claim): Claim =>
  claim.met || !(claim.objective in SHARE_ABOVE) ? claim : { ...claim, state: 'broken' };

/**
 * The verdict from the reasons to fail and the disturbances. A death is always a FAIL. Lost executions and full memory are one
 * unless the disturbance explains them: neither a generator that sends late nor a change of the number of pods does. If only
 * n8n's count is missing, or the deployment had more CPU than its limit, k6's measurements stand, and a broken objective is a FAIL.
 */
export function weigh(failed: Reason[], unclear: Reason[]): Verdict {
  const isOf = (codes: string[]) => (r: Reason) => codes.includes(r.code);
  if (failed.some(isOf(['died']))) return 'FAIL';
  if (failed.some(isOf(['completed', 'memory'])) && !unclear.some(isOf(EXPLAINING))) return 'FAIL';
  if (!unclear.every(isOf(['count-unreadable', 'cpu-limit']))) return 'INCONCLUSIVE';
  if (failed.length > 0) return 'FAIL';
  return unclear.length > 0 ? 'INCONCLUSIVE' : 'PASS';
}

/** Disturbances that may delay executions beyond the drain, or move load to other pods. */
const EXPLAINING = ['cluster', 'clock', 'other-processes', 'k6'];

/** What was accepted must end, whatever the objective for errors says; `cutShort` judges a step that the user ended. */
function incomplete({ executions, cut }: StepRecord): Reason[] {
  if (!executions || cut || executions.completed >= executions.accepted) return [];
  return [{ code: 'completed', clear: true, text: unended(executions) }];
}
