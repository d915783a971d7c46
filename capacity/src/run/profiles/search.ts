import { bracket, highestProved, nextRate, type Tried } from '../../judge/search.js';
import { judgeStep } from '../../judge/step.js';
import { loses, triedOf } from '../../judge/tried.js';
import { HOLD_SECONDS, type Plan, type RatesOf } from '../../model/plan.js';
import type { StepRecord } from '../../model/step.js';
import { LONGEST_HOLD_SECONDS, searchStepSeconds, SHORT_STEP } from '../../plan/rates.js';
import type { DriveProfile, Driver } from '../profile.js';
import { endsGuarded, prove } from '../prove.js';

/** A search holds at most so many rates; then it ends with what it has found. */
const MOST_HOLDS = 4;

/** A search ends with its second INCONCLUSIVE step: something else than n8n may fail once. */
const MAX_INCONCLUSIVE = 1;

/** The highest sustained rate, by steps up and bisection. */
export const driveSearch: DriveProfile<'search'> = {
  stopsAtDeath: true,
  async drive(driver: Driver, rates: RatesOf<'search'>) {
    const {
      context: { plan },
      earlier,
    } = driver;
    const config = { ...rates, start: rates.challenge ?? informedStart(earlier, plan, rates.start) };
    const search = new Search(driver, rates);
    for (;;) {
      const before = search.tried();
      if (search.steps.length - before.length > MAX_INCONCLUSIVE) return;
      const rate = guarded(nextRate(before, config), before, plan);
      if (rate === undefined || (rates.challenge !== undefined && rate < rates.challenge)) {
        if ((await search.proved()) || endsGuarded(plan, search.steps)) return;
        continue;
      }
      const step = await search.take(rate, searchStepSeconds(rate, before, rates, plan.slo, plan.stepSeconds));
      if (endsGuarded(plan, [step]) || loses({ step, judged: judgeStep(step, plan.slo) })) return;
    }
  },
};

/** The steps of a search, and what they show. */
class Search {
  readonly steps: StepRecord[] = [];
  /** Rates that were held for as long as allowed and are not proved: a lower one is to be found. */
  private readonly open = new Set<number>();
  private held = 0;

  constructor(
    private readonly driver: Driver,
    private readonly rates: RatesOf<'search'>,
  ) {}

  async take(rate: number, seconds: number): Promise<StepRecord> {
    this.steps.push(await this.driver.take({ rate }, seconds));
    return this.steps.at(-1)!;
  }

  tried(): Tried[] {
    const { plan } = this.driver.context;
    const judged = this.steps.map((step) => ({ step, judged: judgeStep(step, plan.slo) }));
    const tried = triedOf(judged, plan);
    return tried.map((t) => (this.open.has(t.rate) ? { ...t, sustained: false, clear: true } : t));
  }

  /**
   * Holds the highest rate that held, until it is proved, where the user did not set the length of a step.
   * @returns whether the search has ended; not if that rate is not proved, so that a lower one is to be found
   */
  async proved(): Promise<boolean> {
    const { held } = bracket(this.tried());
    if (held === undefined || this.rates.samples === undefined || this.held === MOST_HOLDS) return true;
    this.held += 1;
    const at = this.steps.filter((s) => s.rate === held);
    const known = at.length;
    if (!at.some(isHold)) at.push(await this.driver.take({ rate: held }, HOLD_SECONDS));
    const time = { least: SHORT_STEP, step: LONGEST_HOLD_SECONDS, most: LONGEST_HOLD_SECONDS };
    await prove(this.driver, held, at, time);
    this.steps.push(...at.slice(known));
    const tried = this.tried();
    if (bracket(tried).held !== held) return false;
    if (highestProved(tried) === held) return true;
    this.open.add(held);
    return false;
  }
}

const isHold = ({ measuredFrom, measuredTo }: StepRecord) => measuredTo - measuredFrom >= HOLD_SECONDS * 1000;

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
