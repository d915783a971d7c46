import { hasOverload, listedRates, promisedTarget, searchOf } from '../plan/kinds.js';
import { formatNumber, formatPercent } from '../core/formats.js';
import type { Plan, RatePlan } from '../model/plan.js';
import type { Overload } from '../model/reports.js';
import type { StepRecord } from '../model/step.js';
import { isGood, worst, type JudgedStep, type LoadVerdict, type RunVerdict, type Tries } from '../model/verdict.js';
import type { Found } from './conclusion.js';
import { deathReasons, eventKey } from './events.js';
import { isOverload, judgeOverload, overloadPhases } from './overload.js';
import type { Records } from './profile.js';
import { judgeProfileOf } from './profiles/profiles.js';
import { bracket, highestProved, type Tried } from './search.js';
import { findSaturation, type Saturated } from './saturation.js';
import { judgeStep } from './step.js';
import { collectTries } from './tried.js';

/** Judges a recorded run by its kind. */
export function judgeRun(records: Records): RunVerdict {
  const { plan } = records.run;
  const { loads } = judgeSteps(plan, records.steps);
  const checked = loads.map((load) => withoutOverload(withDeathsBetween(load, records), plan));
  const verdict = { verdict: worst(checked.map((l) => l.verdict)), loads: checked };
  return judgeProfileOf(plan.rates).judge?.(verdict, records, plan.rates) ?? verdict;
}

/** An overload that the plan asks for and that was not run, as n8n did not become ready again or the run was ended. */
function withoutOverload(load: LoadVerdict, plan: Plan): LoadVerdict {
  const isAsked = plan.overload && !plan.guard && hasOverload(plan.rates);
  if (!isAsked || load.overload || !isGood(load.verdict) || !overloadPhases(plan.rates, load)) return load;
  const conclusion = `${load.conclusion}; but the overload that ends the run is missing: the run ended early`;
  return { ...load, verdict: 'INCONCLUSIVE', conclusion };
}

/**
 * A death that no step has, between two steps of a load or before the first: what held died without that much load. After a rate
 * that broke it is one of that rate; after an overload one of the overload, which only a target has to survive.
 */
function withDeathsBetween(load: LoadVerdict, { run, events = [], steps }: Records): LoadVerdict {
  const mine = steps.filter((s) => s.load === load.load);
  const known = new Set(steps.flatMap((s) => s.events).map(eventKey));
  const lastBefore = (at: number) => steps.findLast((s) => s.measuredFrom <= at);
  const died = events.find((event) => {
    const before = lastBefore(event.at);
    const isMine = before ? before.load === load.load : steps[0] === mine[0];
    const isReported = before !== undefined && isOverload(before) && !promisedTarget(run.plan.rates);
    const isOfBroken = (before?.rate ?? 0) >= (load.broken ?? Infinity);
    return event.kind === 'died' && !known.has(eventKey(event)) && isMine && !isReported && !isOfBroken;
  });
  if (!died) return load;
  if (load.verdict === 'FAIL') return { ...load, failsAtAnyRate: true };
  const between = steps.some((s) => isOverload(s) && s.measuredFrom <= died.at)
    ? 'after the overload'
    : 'between the steps';
  const conclusion = `${load.conclusion}; but ${died.instance} died ${between} (${died.reason ?? died.detail})`;
  return { ...load, verdict: 'FAIL', conclusion, failsAtAnyRate: true };
}

/** Judges the loads of a run from its steps alone; the worst verdict counts. */
export function judgeSteps(plan: Plan, steps: StepRecord[]): RunVerdict {
  const loads = plan.loads.map(({ name }) =>
    judgeLoad(
      name,
      plan,
      steps.filter((s) => s.load === name),
    ),
  );
  return { verdict: worst(loads.map((l) => l.verdict)), loads };
}

function judgeLoad(load: string, plan: Plan, all: StepRecord[]): LoadVerdict {
  const steps = all.filter((step) => !isOverload(step) && !isProbe(step, plan));
  const probes = all.filter((step) => isProbe(step, plan));
  const verdict = withSaturationDeaths(judgeRates(load, plan, steps, findSaturation(probes)), probes);
  const step = all.find(isOverload);
  return step ? withOverload(verdict, judgeOverload(step, plan.slo), plan.rates) : verdict;
}

/** Clients that tell a search where to begin, and what the capacity is at most. */
export const isProbe = ({ clients }: StepRecord, { rates }: Pick<Plan, 'rates'>): boolean =>
  searchOf(rates) !== undefined && clients !== undefined;

/** Adds what died under the clients that saturate n8n. They are more load than its capacity, so the run does not fail, as in an overload. */
function withSaturationDeaths(verdict: LoadVerdict, probes: StepRecord[]): LoadVerdict {
  const saturationDeaths = probes.flatMap((probe) =>
    deathReasons(probe).map(({ text }) => `with ${probe.clients} clients ${text}`),
  );
  if (saturationDeaths.length === 0) return verdict;
  return { ...verdict, saturationDeaths, conclusion: `${verdict.conclusion}; ${saturationDeaths.join('; ')}` };
}

function judgeRates(load: string, plan: Plan, steps: StepRecord[], most: Saturated | undefined): LoadVerdict {
  const judged = (step: StepRecord): JudgedStep => ({ step, judged: judgeStep(step, plan.slo) });
  const [first, ...more] = steps.map(judged);
  if (!first) return { load, verdict: 'INCONCLUSIVE', conclusion: 'no step has ended', steps: [] };
  const found = summarizeTries(collectTries([first, ...more], plan), most);
  const { held, broken, saturated } = found;
  return {
    load,
    steps: [first, ...more],
    ...(held && { capacity: held.rate, confidence: { held, ...(broken && { broken }) } }),
    ...(broken && { broken: broken.rate }),
    ...(saturated && { saturated: { rate: saturated, step: judged(most!.step) } }),
    ...judgeProfileOf(plan.rates).conclude(plan.rates, [first, ...more], found),
  };
}

/**
 * Adds an overload to a verdict. If a deployment does not recover from an overload by itself, its capacity is its throughput under
 * overload, whatever rates held before. A requested rate above that is not sustained. A target also fails if the deployment dies
 * under three times the target, or loses executions that it accepted.
 */
function withOverload(verdict: LoadVerdict, overload: Overload, rates: RatePlan): LoadVerdict {
  if (overload.collapsedTo !== undefined)
    return withCollapse(verdict, { ...overload, to: overload.collapsedTo }, rates);
  const doubt = verdict.verdict === 'PASS' ? findDoubt(overload, rates) : undefined;
  if (!doubt) return { ...verdict, overload };
  return { ...verdict, verdict: doubt.verdict, conclusion: `${verdict.conclusion}; but ${doubt.text}`, overload };
}

function withCollapse(
  verdict: LoadVerdict,
  { to, ...overload }: Overload & { to: number },
  rates: RatePlan,
): LoadVerdict {
  const { rate, returnRate } = overload;
  const collapse = `after an overload of ${formatNumber(rate)}/s it completes only ${formatNumber(to)} of ${formatNumber(returnRate)}/s and does not come back`;
  const conclusion = `${verdict.conclusion}; but ${collapse}`;
  const first = listedRates(rates)?.[0];
  const isBelowAsked = first !== undefined && verdict.verdict === 'PASS' && to < first;
  // More than was asked for came back: whether it would have worked off less is not known.
  if (isBelowAsked && returnRate > first) return { ...verdict, verdict: 'INCONCLUSIVE', conclusion, overload };
  if (promisedTarget(rates) || isBelowAsked) return { ...verdict, verdict: 'FAIL', conclusion, overload };
  if (to < LEAST_CAPACITY) return { ...verdict, verdict: 'FAIL', capacity: 0, conclusion, overload };
  const capacity = Math.min(verdict.capacity ?? Infinity, roundedDown(to));
  return { ...verdict, capacity, conclusion, overload };
}

/** Why a rate that was asked for, and held, is not sustained, or not known to be. */
function findDoubt(
  overload: Overload,
  rates: RatePlan,
): { verdict: 'FAIL' | 'INCONCLUSIVE'; text: string } | undefined {
  const { deaths, unended, failsOn, rate, returnRate, returnSeconds, backSeconds, unclear } = overload;
  const promised = promisedTarget(rates);
  const asked = promised?.rate ?? listedRates(rates)?.[0];
  if (asked === undefined) return undefined;
  if (promised && deaths.length > 0)
    return { verdict: 'FAIL', text: `it does not survive ${formatNumber(rate)}/s: ${deaths.join(', ')}` };
  if (promised && unended !== undefined)
    return { verdict: 'FAIL', text: `it loses executions at ${formatNumber(rate)}/s: ${unended}` };
  if (failsOn !== undefined && returnRate <= asked) {
    const fails = `at least ${formatPercent(failsOn)} of the requests at ${formatNumber(returnRate)}/s fail, and it does not recover`;
    return { verdict: 'FAIL', text: `after an overload of ${formatNumber(rate)}/s ${fails}` };
  }
  if (!isUnknown(overload)) return undefined;
  if (unclear === undefined) {
    const text = `${returnSeconds} s after an overload of ${formatNumber(rate)}/s it is not back to normal, and nothing shows that it recovers`;
    return { verdict: 'INCONCLUSIVE', text };
  }
  const unseen = backSeconds === undefined ? ', and its recovery was not observed' : '';
  return { verdict: 'INCONCLUSIVE', text: `its behaviour at ${formatNumber(rate)}/s is unknown${unseen}: ${unclear}` };
}

/**
 * Whether a collapse may be hidden: the overload could not be judged, and the deployment was not seen to be back to normal. One
 * that was hardly overloaded is always back.
 */
const isUnknown = ({ unclear, notOffered, unsettled, failsOn, backSeconds }: Overload): boolean =>
  unsettled === true ||
  failsOn !== undefined ||
  notOffered === true ||
  (unclear !== undefined && backSeconds === undefined);

/** Executions per second; what completes fewer completes none. */
const LEAST_CAPACITY = 0.05;
/** Three significant digits, and never more than was seen. */
const roundedDown = (rate: number): number => {
  const unit = 10 ** (Math.floor(Math.log10(rate)) - 2);
  return Number((Math.floor(rate / unit) * unit).toPrecision(3));
};

/**
 * Summarizes the tries of a load: the highest rate that is proved, a higher rate that held, and the lowest that broke. If none
 * broke, the rate of saturation takes its place, unless it is below a rate that held: then the machine was slower at that time.
 */
function summarizeTries(tried: Tried[], most: Saturated | undefined): Found {
  const at = (rate: number): Tries => {
    const tries = tried.filter((t) => t.rate === rate);
    return { rate, steps: tries.length, sustained: tries.filter((t) => t.sustained).length };
  };
  const { held, broken } = bracket(tried);
  const proved = highestProved(tried);
  return {
    ...(proved !== undefined && { held: at(proved) }),
    ...(held !== undefined && held !== proved && { likely: at(held) }),
    ...(broken !== undefined && { broken: at(broken) }),
    ...(broken === undefined && most && most.rate > (held ?? 0) && { saturated: Number(most.rate.toPrecision(3)) }),
  };
}
