import { asTried } from '../../judge/run.js';
import { nextRate, type Tried } from '../../judge/search.js';
import { judgeStep } from '../../judge/step.js';
import type { Plan, RatesOf } from '../../model/plan.js';
import type { StepRecord } from '../../model/step.js';
import { searchStepSeconds } from '../../plan/rates.js';
import { isBroken } from '../broken.js';
import type { DriveProfile, Driver } from '../profile.js';

/** A search ends with its second INCONCLUSIVE step: something else than n8n may fail once. */
const MAX_INCONCLUSIVE = 1;

/** The highest sustained rate, by steps up and bisection. */
export const driveSearch: DriveProfile<'search'> = {
  stopsAtDeath: true,
  async drive({ context: { plan }, earlier, take }: Driver, rates: RatesOf<'search'>) {
    const config = { ...rates, start: rates.challenge ?? informedStart(earlier, plan, rates.start) };
    const tried: Tried[] = [];
    let inconclusive = 0;
    const next = () => guarded(nextRate(tried, config), tried, plan);
    for (let rate = next(); rate !== undefined; rate = next()) {
      if (rates.challenge !== undefined && rate < rates.challenge) return;
      const step = await take({ rate }, searchStepSeconds(rate, tried, rates, plan.stepSeconds));
      const outcome = asTried({ step, judged: judgeStep(step, plan.slo) });
      tried.push(...outcome);
      if (plan.guard && isBroken(step, plan)) return;
      // The same rate is tried again.
      if (outcome.length === 0 && ++inconclusive > MAX_INCONCLUSIVE) return;
    }
  },
};

/** The next rate of a search, at most the one that is allowed, which ends it when it holds. */
function guarded(rate: number | undefined, tried: Tried[], { guard }: Plan): number | undefined {
  if (!guard || rate === undefined) return rate;
  const most = Math.min(rate, guard.maxRate);
  return tried.some((t) => t.rate === most) ? undefined : most;
}

/** Half of what the load before sustained: closer to this one's capacity than any constant. */
function informedStart(earlier: readonly StepRecord[], plan: Plan, start: number): number {
  const held = earlier.filter((s) => judgeStep(s, plan.slo).verdict === 'PASS').map((s) => s.rate ?? 0);
  return held.length === 0 ? start : Math.max(start, Number((Math.max(...held) / 2).toPrecision(2)));
}
