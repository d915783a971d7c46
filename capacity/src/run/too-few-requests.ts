import { promisedTarget } from '../plan/kinds.js';
import { formatNumber, formatRate } from '../core/formats.js';
import type { Plan } from '../model/plan.js';
import { claimSamples, LONGEST_EXTENSION, SPARE_REQUESTS } from '../plan/rates.js';

/**
 * A note for a target so low that even the longest step has too few requests to prove its objectives. It names a target that is
 * high enough: a deployment that holds a higher rate also holds a lower one.
 */
export function tooFewRequests({ rates, slo }: Pick<Plan, 'rates' | 'slo'>): string[] {
  const promised = promisedTarget(rates);
  if (!promised) return [];
  const { rate, headroom } = promised;
  const requests = Math.floor(rate * headroom * LONGEST_EXTENSION);
  const needed = claimSamples(slo);
  if (requests >= needed) return [];
  const enough = Math.ceil((10 * SPARE_REQUESTS * needed) / LONGEST_EXTENSION / headroom) / 10;
  return [
    `the longest step, ${formatNumber(LONGEST_EXTENSION)}s, has about ${requests} requests; ${needed} are needed to prove the objectives. Use a target of ${formatRate(enough)}: if it holds, so does ${formatRate(rate)}`,
  ];
}
