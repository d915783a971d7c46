import type { Kind, Plan } from '../model/plan.js';
import type { StepRecord } from '../model/step.js';
import {
  worst,
  type CapacityConfidence,
  type JudgedStep,
  type LoadVerdict,
  type RunVerdict,
  type Tries,
} from '../model/verdict.js';
import { answeredRate } from './conclusion.js';
import type { JudgeProfile, Records } from './profile.js';
import { burst } from './profiles/burst.js';
import { closed } from './profiles/closed.js';
import { payloadLimit } from './profiles/payload-limit.js';
import { rates } from './profiles/rates.js';
import { search } from './profiles/search.js';
import { soak } from './profiles/soak.js';
import { target } from './profiles/target.js';
import { bracket, type Tried } from './search.js';
import { judgeStep } from './step.js';

const PROFILES: { [K in Kind]: JudgeProfile<K> } = {
  rates,
  search,
  target,
  closed,
  soak,
  burst,
  'payload-limit': payloadLimit,
};

/** The profile of a plan, whose kind it fits. */
const profileOf = (plan: Plan) => PROFILES[plan.rates.kind] as JudgeProfile<Kind>;

/** Judges a recorded run, as its profile does. */
export function judgeRun(records: Records): RunVerdict {
  const { plan } = records.run;
  const loads = judgeSteps(plan, records.steps);
  return profileOf(plan).judge?.(loads, records) ?? loads;
}

/** Judges the loads of a run from its steps alone. The worst load decides. */
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

function judgeLoad(load: string, plan: Plan, steps: StepRecord[]): LoadVerdict {
  const [first, ...more] = steps.map((step): JudgedStep => ({ step, judged: judgeStep(step, plan.slo) }));
  if (!first) return { load, verdict: 'INCONCLUSIVE', conclusion: 'no step has ended', steps: [] };
  const found = endsOfBracket([first, ...more].flatMap(asTried));
  const { held, broken } = found;
  return {
    load,
    steps: [first, ...more],
    ...(held && { capacity: held.rate, confidence: { held, ...(broken && { broken }) } }),
    ...(broken && { broken: broken.rate }),
    ...profileOf(plan).conclude(plan.rates, [first, ...more], plan, found),
  };
}

/**
 * A judged step for the search; a closed step has no rate, an INCONCLUSIVE one says nothing about its rate. Errors that
 * chance explains do not break a rate: among few requests one error is many. Whether what held is proved is asked at the
 * end.
 */
export function asTried({ step, judged }: JudgedStep): Tried[] {
  if (step.rate === undefined || judged.verdict === 'INCONCLUSIVE') return [];
  const sound = judged.reasons.filter((r) => r.code !== 'errors' || r.clear);
  return [{ rate: step.rate, sustained: sound.length === 0, clear: sound.length > 1 || sound.some((r) => r.clear) }];
}

/**
 * The rate that a load sustained within the SLO, in executions per second: its capacity, or what its clients got answered
 * in a closed step; 0 when nothing.
 */
export function sustainedRate({ capacity, verdict, steps }: LoadVerdict): number {
  if (capacity !== undefined) return capacity;
  const last = steps.at(-1)?.step;
  return verdict === 'PASS' && last?.clients !== undefined ? answeredRate(last) : 0;
}

/** How often the two ends of the bracket were tried, and held. */
function endsOfBracket(tried: Tried[]): Partial<CapacityConfidence> {
  const at = (rate: number): Tries => {
    const tries = tried.filter((t) => t.rate === rate);
    return { rate, steps: tries.length, sustained: tries.filter((t) => t.sustained).length };
  };
  const { held, broken } = bracket(tried);
  return { ...(held !== undefined && { held: at(held) }), ...(broken !== undefined && { broken: at(broken) }) };
}
