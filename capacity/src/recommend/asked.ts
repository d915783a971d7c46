import { notSteady, targetRate } from '../plan/kinds.js';
import type { Prices } from '../model/sweep.js';
import { UsageError } from '../core/errors.js';
import type { RatePlan } from '../model/plan.js';
import { ratePlan } from '../plan/rates.js';

/** The flags of `n8n-capacity recommend` that ask a record another question than the one it was made for. */
export interface AskedOptions {
  target?: string;
  headroom?: string;
  cpuPrice?: string;
  memoryPrice?: string;
}

/**
 * Executions per second that must be sustained, headroom included; undefined where neither the flags nor the record say it.
 * @throws UsageError when a flag is wrong, or the record is of no arrival rate
 */
export function askedRate({ target, headroom }: AskedOptions, rates: RatePlan): number | undefined {
  const other = notSteady(rates);
  if (other !== undefined)
    throw new UsageError(
      `the record is of ${other}, and values are recommended for a steady arrival rate: measure with a target.`,
    );
  if (headroom !== undefined && target === undefined && rates.kind !== 'target')
    throw new UsageError('--headroom needs --target: the record has no target that it could be a factor of.');
  if (rates.kind === 'target') return withHeadroom(target ?? `${rates.rate}`, headroom ?? `${rates.headroom}`);
  if (target !== undefined) return withHeadroom(target, headroom);
  return targetRate(rates);
}

function withHeadroom(target: string, headroom: string | undefined): number {
  const plan = ratePlan({ target, ...(headroom !== undefined && { headroom }) });
  return plan.kind === 'target' ? plan.rate * plan.headroom : Number.NaN;
}

/** The prices that were given. Throws UsageError. */
export function askedPrices({ cpuPrice, memoryPrice }: AskedOptions): Partial<Omit<Prices, 'currency'>> {
  return {
    ...(cpuPrice !== undefined && { cpuHour: price(cpuPrice, '--cpu-price') }),
    ...(memoryPrice !== undefined && { memoryGibHour: price(memoryPrice, '--memory-price') }),
  };
}

function price(text: string, name: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new UsageError(`${name}: "${text}" is no price; write a number from 0, as in 0.03.`);
}
