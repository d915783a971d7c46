import { PERCENTILES, SHARE_ABOVE, type Slo } from '../model/plan.js';
import type { SlowLimit } from '../model/generator.js';
import { lowerBound95 } from '../stats/intervals.js';

/**
 * By so much the share of slow answers must be above what is allowed, in requests of the whole step. With less, a hold that
 * another try might have saved ends the search lower: bench:truth finds heavy-tailed servers within 10 % less often.
 */
const CLEARLY = 3;

/**
 * After how many slow answers a step has failed whatever follows: were no other of its planned requests slow, its share of
 * slow ones would still be above the objective by its bound, and three times what is allowed. To go on would tell nothing more.
 * @param requests that the step was planned to send
 */
export function decidedBy(slo: Slo, requests: number): SlowLimit[] {
  const limits = PERCENTILES.flatMap((p) => {
    const seconds = slo[p];
    return seconds === undefined ? [] : [{ objective: p, seconds, answers: clearlyAbove(SHARE_ABOVE[p], requests) }];
  });
  // k6 counts slow answers by their limit in seconds: two of one length would count each answer twice. The last is the strictest.
  return limits.filter(({ seconds }, i) => !limits.slice(i + 1).some((later) => later.seconds === seconds));
}

function clearlyAbove(allowed: number, requests: number): number {
  let answers = Math.ceil(CLEARLY * allowed * requests);
  while (answers < requests && lowerBound95(answers, requests) <= allowed) answers++;
  return answers;
}
