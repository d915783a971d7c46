import { notSteady, promisedTarget, targetRate } from '../plan/kinds.js';
import type { Prices } from '../model/cost.js';
import { UsageError } from '../core/errors.js';
import type { RatePlan } from '../model/plan.js';
import { readHeadroom, targetGiven, type TargetGiven } from '../plan/rates.js';

/** The flags of `n8n-capacity recommend` that ask for another target or other prices than those of the record. */
export interface AskedOptions extends TargetGiven {
  headroom?: string;
  cpuPrice?: string;
  memoryPrice?: string;
}

/** The names of these flags. */
export const ASKED_FLAGS = ['target', 'perDay', 'peak', 'headroom', 'cpuPrice', 'memoryPrice'] as const;

/**
 * Executions per second that must be sustained, headroom included; undefined if neither the flags nor the record set a target.
 * @throws UsageError if a flag is wrong, or the record has no steady arrival rate
 */
export function askedRate({ headroom, ...given }: AskedOptions, rates: RatePlan): number | undefined {
  const target = targetGiven(given)?.rate;
  const promised = promisedTarget(rates);
  const other = notSteady(rates);
  if (other !== undefined)
    throw new UsageError(
      `the record is of ${other}; values hold for a steady arrival rate: run validate with --target.`,
    );
  if (headroom !== undefined && target === undefined && !promised)
    throw new UsageError('--headroom needs --target, because the record has no target.');
  const factor = askedHeadroom({ ...(headroom !== undefined && { headroom }) }, rates);
  if (promised) return (target ?? promised.rate) * factor;
  return target === undefined ? targetRate(rates) : target * factor;
}

/** The headroom of that rate: as given, else that of the record's target, else the default. */
export const askedHeadroom = ({ headroom }: AskedOptions, rates: RatePlan): number =>
  (headroom === undefined ? promisedTarget(rates)?.headroom : undefined) ??
  readHeadroom({ ...(headroom !== undefined && { headroom }) });

/** The flags with the peak of the record, where they ask for executions a day and give no peak of their own. */
export function withPeak<T extends AskedOptions>(asked: T, rates: RatePlan): T {
  const peak = promisedTarget(rates)?.day?.peak;
  return asked.perDay !== undefined && asked.peak === undefined && peak !== undefined
    ? { ...asked, peak: `${peak}x` }
    : asked;
}

/**
 * The prices given by flags.
 * @throws UsageError if a price is not a number from 0
 */
export function askedPrices({ cpuPrice, memoryPrice }: AskedOptions): Partial<Omit<Prices, 'currency'>> {
  return {
    ...(cpuPrice !== undefined && { cpuHour: price(cpuPrice, '--cpu-price') }),
    ...(memoryPrice !== undefined && { memoryGibHour: price(memoryPrice, '--memory-price') }),
  };
}

function price(text: string, name: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new UsageError(`${name}: "${text}" is not a price; write a number from 0, such as 0.03.`);
}
