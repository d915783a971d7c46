import { bracket, highestProved, roundedTo, type Tried } from '../../judge/search.js';
import { judgeStep } from '../../judge/step.js';
import { isLosingExecutions, collectTries } from '../../judge/tried.js';
import { HOLD_SECONDS, type RatesOf, type Slo } from '../../model/plan.js';
import type { StepRecord } from '../../model/step.js';
import { longestHold, searchStepSeconds, SHORT_STEP } from '../../plan/rates.js';
import type { Driver } from '../profile.js';
import { endsGuarded, neededRequests, prove } from '../prove.js';

/** Rates that a search holds at most. Then it ends with its result so far. */
const MOST_HOLDS = 8;

/** A search ends with its second INCONCLUSIVE step. */
const MAX_INCONCLUSIVE = 1;

/** The steps of a search, and what they show. */
export class Search {
  readonly steps: StepRecord[] = [];

  constructor(
    private readonly driver: Driver,
    private readonly rates: RatesOf<'search'>,
  ) {}

  /** Lowest rate that can be judged, per second. */
  get lowest(): number {
    return this.rates.lowest;
  }

  get slo(): Slo {
    return this.driver.context.plan.slo;
  }

  async take(rate: number, seconds: number): Promise<StepRecord> {
    this.steps.push(await this.driver.take({ rate }, seconds));
    return this.steps.at(-1)!;
  }

  /** A step as long as those before it make necessary. */
  async tryRate(rate: number): Promise<void> {
    const { stepSeconds } = this.driver.context.plan;
    await this.take(rate, searchStepSeconds(rate, this.tried(), this.rates, this.slo, stepSeconds));
  }

  /** Whether too many steps were disturbed: something else than n8n may fail once. */
  isUnclear(): boolean {
    return this.steps.length - this.tried().length > MAX_INCONCLUSIVE;
  }

  isProved(): boolean {
    return highestProved(this.tried()) !== undefined;
  }

  /** Whether nothing more is to be tried: the highest rate is proved, or the search must not go on. */
  isOver(): boolean {
    return this.isProved() || this.mustEnd() || this.isUnclear();
  }

  /** Whether the last step shows that no rate may be tried after it. */
  mustEnd(): boolean {
    const { plan } = this.driver.context;
    const last = this.steps.at(-1);
    return (
      last !== undefined &&
      (endsGuarded(plan, this.steps) || isLosingExecutions({ step: last, judged: judgeStep(last, plan.slo) }))
    );
  }

  tried(): Tried[] {
    const { plan } = this.driver.context;
    const judged = this.steps.map((step) => ({ step, judged: judgeStep(step, plan.slo) }));
    return collectTries(judged, plan);
  }

  /**
   * Holds the highest rate that held until it is proved, or else the rate below it, where the user did not set the length of
   * a step. Short steps are optimistic: what happens once a minute, and long queues, are only seen in a hold.
   */
  async prove(): Promise<void> {
    if (this.rates.samples === undefined) return;
    const { precision, lowest } = this.rates;
    let { held: rate } = bracket(this.tried());
    for (let holds = 0; holds < MOST_HOLDS && rate !== undefined && rate >= lowest; holds++) {
      await this.hold(rate);
      if (this.isOver()) return;
      rate = roundedTo(rate / (1 + precision / 2), precision / 2);
    }
  }

  /**
   * Holds a rate for a minute, and for longer where its requests do not decide yet.
   * @param longest seconds in all
   */
  async hold(rate: number, longest?: number): Promise<void> {
    const at = this.steps.filter((s) => s.rate === rate);
    const known = at.length;
    if (!at.some(isHold)) at.push(await this.driver.take({ rate }, HOLD_SECONDS));
    const { plan } = this.driver.context;
    const judged = at.map((step) => ({ step, judged: judgeStep(step, plan.slo) }));
    // So close to an objective, a lower rate is proved sooner.
    const most = longestHold(rate, plan.slo, longest);
    if (neededRequests(judged, plan.slo) / rate > most) return void this.steps.push(...at.slice(known));
    const time = { least: SHORT_STEP, step: most, most };
    await prove(this.driver, rate, at, time);
    this.steps.push(...at.slice(known));
  }
}

const isHold = ({ measuredFrom, measuredTo }: StepRecord) => measuredTo - measuredFrom >= HOLD_SECONDS * 1000;
