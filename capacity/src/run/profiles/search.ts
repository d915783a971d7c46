import { acknowledges } from '../../judge/bounds.js';
import { findSaturation } from '../../judge/saturation.js';
import { bracket, nextRate, type Tried } from '../../judge/search.js';
import { judgeStep } from '../../judge/step.js';
import { answeredRate } from '../../judge/sustained.js';
import type { Plan, RatesOf } from '../../model/plan.js';
import type { StepRecord } from '../../model/step.js';
import type { DriveProfile, Driver } from '../profile.js';
import { isQuick, quickSearch } from './quick-search.js';
import { Search } from './search-steps.js';
import { untilWarm } from './warm.js';

/** The highest sustained rate, by steps up and bisection. */
export const driveSearch: DriveProfile<'search'> = {
  stopsAtDeath: true,
  endsOnceDecided: true,
  async drive(driver: Driver, rates: RatesOf<'search'>) {
    const {
      context: { plan },
      earlier,
    } = driver;
    const search = new Search(driver, rates);
    if (rates.challenge !== undefined && !(await holds(search, { ...rates, start: rates.challenge }))) return;
    const probes = await probe(driver, rates);
    const saturated = isQuick(rates) ? findSaturation(probes) : undefined;
    if (saturated) return quickSearch(search, saturated);
    const probed = startAfter(probes, rates);
    const start = probed ?? informedStart(earlier, plan, rates.start);
    for (;;) {
      if (search.isUnclear()) return;
      const before = search.tried();
      const isNear = probed !== undefined || rates.challenge !== undefined;
      const factor = isNear ? cautious(before, rates.factor) : rates.factor;
      const next = nextRate(before, { ...rates, start, factor });
      const rate = guarded(skipTo(probed, next, before), before, plan);
      if (rate === undefined) return search.prove();
      await search.tryRate(rate);
      if (search.mustEnd()) return;
    }
  },
};

/** Whether the first rate of a search holds, which may take several steps. */
async function holds(search: Search, rates: RatesOf<'search'>): Promise<boolean> {
  while (nextRate(search.tried(), rates) === rates.start) {
    await search.tryRate(rates.start);
    if (search.mustEnd() || search.isUnclear()) return false;
  }
  return bracket(search.tried()).held !== undefined;
}

/** Seconds of a probe. */
const PROBE_SECONDS = 5;
/** Clients of the first probe. Workloads with a service time get more: enough to keep this many requests a second under way. */
const PROBE_CLIENTS = 10;
const PROBE_RATE = 10;
/** Probes that saturate a deployment, at most; the last has 8 times the clients of the first. */
const MOST_PROBES = 4;
/** Random arrivals are sustained at about this share of the throughput of clients that wait for their answers. */
const SUSTAINED_SHARE = 0.7;
/** From there, the first steps up are small, as the capacity is near. */
const FIRST_FACTOR = 1.25;

/**
 * A closed-loop probe gives an upper bound of the capacity in a short time. It does not count as a tried rate. It is repeated until
 * n8n is warm, because a rate that breaks a cold n8n is meaningless; after a challenge n8n is warm. A quick search doubles the
 * clients until the deployment is saturated.
 * @returns no step where the user chose the first rate or the length of the steps, or clients would flood n8n
 */
async function probe({ take, load, context: { plan } }: Driver, rates: RatesOf<'search'>): Promise<StepRecord[]> {
  const probes: StepRecord[] = [];
  if (rates.samples === undefined || plan.guard || acknowledges(load)) return probes;
  const clients = PROBE_CLIENTS + Math.ceil(PROBE_RATE * Math.max(...Object.values(load.serviceSeconds)));
  const withClients = (factor: number) => take({ clients: clients * factor }, PROBE_SECONDS);
  if (!isQuick(rates)) return rates.challenge === undefined ? untilWarm(() => withClients(1)) : [await withClients(1)];
  while (probes.length < MOST_PROBES && !findSaturation(probes)) probes.push(await withClients(2 ** probes.length));
  return probes;
}

/** The first rate of a search, from the last probe with the fewest clients, per second; undefined if there was none, or no answers. */
function startAfter(probes: StepRecord[], { lowest }: RatesOf<'search'>): number | undefined {
  const last = probes.findLast(({ clients }) => clients === probes[0]!.clients);
  const rate = last ? Number((SUSTAINED_SHARE * answeredRate(last)).toPrecision(2)) : 0;
  return rate > lowest ? rate : undefined;
}

/** The next rate of a search on its way up, which starts at the one that the probe shows, if that is higher. */
function skipTo(probed: number | undefined, next: number | undefined, tried: Tried[]): number | undefined {
  const isOnItsWayUp = next !== undefined && bracket(tried).broken === undefined;
  return isOnItsWayUp ? Math.max(next, probed ?? 0) : next;
}

/** The factor of the next step up from a rate that may be near the capacity. It is small at first, and grows while rates hold. */
function cautious(tried: Tried[], most: number): number {
  const held = new Set(tried.filter((t) => t.sustained).map((t) => t.rate)).size;
  return Math.min(most, FIRST_FACTOR ** (2 ** Math.max(0, held - 2)));
}

/** The next rate of a search, at most the one that is allowed, which ends it when it holds. */
function guarded(rate: number | undefined, tried: Tried[], { guard }: Plan): number | undefined {
  if (!guard || rate === undefined) return rate;
  const most = Math.min(rate, guard.maxRate);
  return tried.some((t) => t.rate === most) ? undefined : most;
}

/** Half of the previous load's capacity: a better start than any constant.. */
function informedStart(earlier: readonly StepRecord[], plan: Plan, start: number): number {
  const held = earlier.filter((s) => judgeStep(s, plan.slo).verdict === 'PASS').map((s) => s.rate ?? 0);
  return held.length === 0 ? start : Math.max(start, Number((Math.max(...held) / 2).toPrecision(2)));
}
