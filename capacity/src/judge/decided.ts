import { PERCENTILES, SHARE_ABOVE, type Slo } from '../model/plan.js';
import type { SlowLimit } from '../model/generator.js';
import { lowerBound95 } from '../stats/intervals.js';

/**
 * Factor by which the share of slow answers must exceed the allowed share, over all planned requests. A lower factor ends holds
 * that another try would have passed. The search then ends too low: bench:truth finds heavy-tailed servers within 10 % less often.
 */
const CLEARLY = 3;

/**
 * Returns the number of slow answers after which a step must fail. Even if all remaining requests were fast, the share of slow
 * ones would exceed the objective by its bound, and be three times the allowed share. More requests cannot change the verdict.
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
