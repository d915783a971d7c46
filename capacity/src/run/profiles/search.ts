import { acknowledges } from '../../judge/bounds.js';
import { saturationOf } from '../../judge/saturation.js';
import { bracket, highestProved, nextRate, roundedTo, type Tried } from '../../judge/search.js';
import { judgeStep } from '../../judge/step.js';
import { answeredRate } from '../../judge/sustained.js';
import { loses, triedOf } from '../../judge/tried.js';
import { HOLD_SECONDS, type Plan, type RatesOf } from '../../model/plan.js';
import type { StepRecord } from '../../model/step.js';
import { longestHold, searchStepSeconds, SHORT_STEP } from '../../plan/rates.js';
import type { DriveProfile, Driver } from '../profile.js';
import type { Pace } from './pace.js';
import { isQuick, quickPace } from './quick-search.js';
import { endsGuarded, neededRequests, prove } from '../prove.js';

/** A search holds at most so many rates; then it ends with what it has found. */
const MOST_HOLDS = 8;

/** A search ends with its second INCONCLUSIVE step: something else than n8n may fail once. */
const MAX_INCONCLUSIVE = 1;

/** The highest sustained rate, by steps up and bisection. */
export const driveSearch: DriveProfile<'search'> = {
  stopsAtDeath: true,
  endsOnceDecided: true,
  async drive(driver: Driver, rates: RatesOf<'search'>) {
    const { plan } = driver.context;
    const pace = await paceOf(driver, rates);
    const search = new Search(driver, rates);
    for (;;) {
      const before = search.tried();
      if (search.steps.length - before.length > MAX_INCONCLUSIVE) return;
      const next = nextRate(pace.seen(before), { ...rates, start: pace.start, factor: pace.factor(before) });
      const rate = guarded(next, before, plan);
      if (rate === undefined || (rates.challenge !== undefined && rate < rates.challenge)) return search.prove();
      const step = await search.take(rate, pace.seconds(rate, before, plan));
      if (endsGuarded(plan, [step]) || loses({ step, judged: judgeStep(step, plan.slo) })) return;
    }
  },
};

/** A probe takes so long, … */
const PROBE_SECONDS = 5;
/** … with so many clients, and as many more as keep so many requests a second under way that take their time by design. */
const PROBE_CLIENTS = 10;
const PROBE_RATE = 10;
/** At most so many probes saturate a deployment: the last has 8 times the clients of the first. */
const MOST_PROBES = 4;
/** Random arrivals are sustained at about this share of what clients that wait for their answers get through. */
const SUSTAINED_SHARE = 0.7;
/** From there, the first steps up are small, as the capacity is near. */
const FIRST_FACTOR = 1.25;

/** How a search goes on: quick where it may be, else by short steps from where a few clients say. */
async function paceOf(driver: Driver, rates: RatesOf<'search'>): Promise<Pace> {
  const {
    load,
    earlier,
    context: { plan },
  } = driver;
  const isProbed = rates.challenge === undefined && rates.samples !== undefined && !plan.guard && !acknowledges(load);
  const probes = isProbed ? await probe(driver, isQuick(rates) ? MOST_PROBES : 1) : [];
  const saturated = isQuick(rates) ? saturationOf(probes) : undefined;
  if (saturated) return quickPace(saturated.rate, rates);
  const reached = probes[0] ? Number((SUSTAINED_SHARE * answeredRate(probes[0])).toPrecision(2)) : 0;
  const probed = reached > rates.lowest ? reached : undefined;
  const isNear = probed !== undefined || rates.challenge !== undefined;
  return {
    start: rates.challenge ?? probed ?? informedStart(earlier, plan, rates.start),
    factor: (tried) => (isNear ? cautious(tried, rates.factor) : rates.factor),
    seconds: (rate, tried, { slo, stepSeconds }) => searchStepSeconds(rate, tried, rates, slo, stepSeconds),
    seen: (tried) => tried,
  };
}

/**
 * What clients that each wait for their answer get through bounds the capacity, in the time of one step. It is no try of any rate.
 * @param most steps, each with twice the clients of the one before; fewer once the deployment is saturated
 */
async function probe({ take, load }: Driver, most: number): Promise<StepRecord[]> {
  const clients = PROBE_CLIENTS + Math.ceil(PROBE_RATE * Math.max(...Object.values(load.serviceSeconds)));
  const probes: StepRecord[] = [];
  while (probes.length < most && !saturationOf(probes))
    probes.push(await take({ clients: clients * 2 ** probes.length }, PROBE_SECONDS));
  return probes;
}

/** The factor of the next step up from a rate that may be near: small at first, then larger where it was far too low. */
function cautious(tried: Tried[], most: number): number {
  const held = new Set(tried.filter((t) => t.sustained).map((t) => t.rate)).size;
  return Math.min(most, FIRST_FACTOR ** (2 ** Math.max(0, held - 2)));
}

/** The steps of a search, and what they show. */
class Search {
  readonly steps: StepRecord[] = [];

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
    return triedOf(judged, plan);
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
      const tried = this.tried();
      if (highestProved(tried) !== undefined || endsGuarded(this.driver.context.plan, this.steps)) return;
      if (this.steps.length - tried.length > MAX_INCONCLUSIVE) return;
      rate = roundedTo(rate / (1 + precision / 2), precision / 2);
    }
  }

  private async hold(rate: number): Promise<void> {
    const at = this.steps.filter((s) => s.rate === rate);
    const known = at.length;
    if (!at.some(isHold)) at.push(await this.driver.take({ rate }, HOLD_SECONDS));
    const { plan } = this.driver.context;
    const judged = at.map((step) => ({ step, judged: judgeStep(step, plan.slo) }));
    // So close to an objective, a lower rate is proved sooner.
    const longest = longestHold(rate, plan.slo);
    if (neededRequests(judged, plan.slo) / rate > longest) return void this.steps.push(...at.slice(known));
    const time = { least: SHORT_STEP, step: longest, most: longest };
    await prove(this.driver, rate, at, time);
    this.steps.push(...at.slice(known));
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
