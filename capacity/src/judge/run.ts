import { format } from '../core/formats.js';
import type { Kind, Plan, RatePlan } from '../model/plan.js';
import type { Overload } from '../model/reports.js';
import type { StepRecord } from '../model/step.js';
import { worst, type JudgedStep, type LoadVerdict, type RunVerdict, type Tries } from '../model/verdict.js';
import type { Found } from './conclusion.js';
import { isOverload, judgeOverload } from './overload.js';
import type { JudgeProfile, Records } from './profile.js';
import { burst } from './profiles/burst.js';
import { closed } from './profiles/closed.js';
import { confirm } from './profiles/confirm.js';
import { payloadLimit } from './profiles/payload-limit.js';
import { rates } from './profiles/rates.js';
import { replay } from './profiles/replay.js';
import { search } from './profiles/search.js';
import { soak } from './profiles/soak.js';
import { target } from './profiles/target.js';
import { bracket, highestProved, type Tried } from './search.js';
import { saturationOf, type Saturated } from './saturation.js';
import { judgeStep } from './step.js';
import { triedOf } from './tried.js';

const PROFILES: { [K in Kind]: JudgeProfile<K> } = {
  rates,
  search,
  target,
  closed,
  soak,
  replay,
  confirm,
  burst,
  'payload-limit': payloadLimit,
};

/** The profile for a plan's kind; the cast is safe because the table pairs them. */
const profileOf = (plan: Plan) => PROFILES[plan.rates.kind] as JudgeProfile<Kind>;

/** Judges a recorded run by its kind. */
export function judgeRun(records: Records): RunVerdict {
  const { plan } = records.run;
  const loads = judgeSteps(plan, records.steps);
  return profileOf(plan).judge?.(loads, records) ?? loads;
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
  const verdict = judgeRates(load, plan, steps, saturationOf(all.filter((step) => isProbe(step, plan))));
  const step = all.find(isOverload);
  return step ? withOverload(verdict, judgeOverload(step, plan.slo), plan.rates) : verdict;
}

/** Clients that tell a search where to begin, and what the capacity is at most. */
const isProbe = ({ clients }: StepRecord, { rates }: Plan) => rates.kind === 'search' && clients !== undefined;

function judgeRates(load: string, plan: Plan, steps: StepRecord[], most: Saturated | undefined): LoadVerdict {
  const judged = (step: StepRecord): JudgedStep => ({ step, judged: judgeStep(step, plan.slo) });
  const [first, ...more] = steps.map(judged);
  if (!first) return { load, verdict: 'INCONCLUSIVE', conclusion: 'no step has ended', steps: [] };
  const found = foundBy(triedOf([first, ...more], plan), most);
  const { held, broken, saturated } = found;
  return {
    load,
    steps: [first, ...more],
    ...(held && { capacity: held.rate, confidence: { held, ...(broken && { broken }) } }),
    ...(broken && { broken: broken.rate }),
    ...(saturated && { saturated: { rate: saturated, step: judged(most!.step) } }),
    ...profileOf(plan).conclude(plan.rates, [first, ...more], plan, found),
  };
}

/**
 * A deployment that does not come back from an overload by itself takes for ever only what it does while it is overloaded: that
 * is its capacity, whatever held before. A rate that was asked for and is above it is not sustained.
 */
function withOverload(verdict: LoadVerdict, overload: Overload, rates: RatePlan): LoadVerdict {
  const { collapsedTo } = overload;
  if (collapsedTo === undefined) return { ...verdict, overload };
  const collapse = `after an overload of ${format(overload.rate)}/s it completes only ${format(collapsedTo)} of ${format(overload.returnRate)}/s and does not come back`;
  const conclusion = `${verdict.conclusion}; but ${collapse}`;
  const isBelowAsked = rates.kind === 'rates' && verdict.verdict === 'PASS' && collapsedTo < rates.rates[0]!;
  if (rates.kind === 'target' || isBelowAsked) return { ...verdict, verdict: 'FAIL', conclusion, overload };
  const capacity = Math.min(verdict.capacity ?? Infinity, Number(collapsedTo.toPrecision(3)));
  return { ...verdict, capacity, conclusion, overload };
}

/**
 * What the steps of a load found: the highest rate that is proved, one that held above it, and the lowest that broke, or the
 * rate at which it is saturated. One that is not above a rate that held was measured while the machine was slower.
 */
function foundBy(tried: Tried[], most: Saturated | undefined): Found {
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
