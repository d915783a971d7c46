import { highestRate, listedRates, promisedTarget, targetRate } from '../plan/kinds.js';
import { formatRate } from '../core/formats.js';
import { meanSeconds, slotBound } from '../judge/bounds.js';
import type { Plan } from '../model/plan.js';
import type { DeploymentRecord } from '../model/run.js';

/**
 * A note for each load whose rate the slots of the deployment do not allow, however fast the machine. An autoscaler may add
 * slots, so nothing is said of one.
 */
export function tooFewSlots(
  { loads, rates, foreign }: Pick<Plan, 'loads' | 'rates' | 'foreign'>,
  { slots, mode, autoscalers = [] }: Pick<DeploymentRecord, 'slots' | 'mode' | 'autoscalers'>,
): string[] {
  const needed = targetRate(rates) ?? (listedRates(rates) && highestRate(rates));
  if (needed === undefined || slots === undefined || autoscalers.length > 0) return [];
  return loads.flatMap((load) => {
    const bound = slotBound(slots, meanSeconds(load, load.executionSeconds));
    if (!bound || bound.rate >= needed) return [];
    const name = loads.length > 1 ? `${load.name}: ` : '';
    const who = promisedTarget(rates) ? 'the target needs' : 'the run asks for';
    const remedy = foreign ? 'add workers, or raise their concurrency' : MORE_SLOTS[mode];
    return [`${name}${bound.formula} allow ${formatRate(bound.rate)}; ${who} ${formatRate(needed)}: ${remedy}`];
  });
}

const MORE_SLOTS: Record<DeploymentRecord['mode'], string> = {
  queue: 'raise worker.replicas or worker.concurrency',
  regular: 'raise executions.concurrencyLimit',
  unknown: 'add workers, or raise their concurrency',
};
