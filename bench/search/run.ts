import type { StepRecord } from '../../capacity/src/model/step.js';
import type { LoadVerdict } from '../../capacity/src/model/verdict.js';
import { seededRandom } from '../../capacity/src/stats/random.js';
import { asTried, judgeSteps } from '../../capacity/src/judge/run.js';
import { nextRate, type Tried } from '../../capacity/src/judge/search.js';
import { judgeStep } from '../../capacity/src/judge/step.js';
import type { LoadPlan, Plan } from '../../capacity/src/model/plan.js';
import {
  claimSeconds,
  ratePlan,
  samplesFor,
  searchStepSeconds,
  searchWith,
  stepSecondsFor,
} from '../../capacity/src/plan/rates.js';
import type { Target } from './targets.js';
import { virtualStep } from './virtual-step.js';

/** The plan that `n8n-capacity validate` makes for one workload when it is asked for this. */
export function planFor({ slo }: Target, asked: { precision: string } | { target: string; headroom: string }): Plan {
  const rates = ratePlan(asked);
  const least = rates.kind === 'target' ? claimSeconds(rates, slo) : 0;
  const stepSeconds = Math.max(least, stepSecondsFor(rates, slo));
  return {
    values: { files: [], set: [] },
    loads: [LOAD],
    rates: rates.kind === 'search' ? searchWith(rates, stepSeconds, samplesFor(rates.precision, slo)) : rates,
    slo,
    stepSeconds,
    warmupSeconds: 3,
    drainSeconds: 30,
    timeoutSeconds: 60,
    scriptEnv: {},
  };
}

const LOAD: LoadPlan = {
  name: 'webhook-ack',
  parts: [{ workload: 'webhook-ack', weight: 1 }],
  serviceSeconds: { 'webhook-ack': 0 },
  executionSeconds: { 'webhook-ack': 0 },
};

/** One validation of a target in virtual time: the steps that the plan asks for, judged as a recorded run is. */
export function validateVirtually(target: Target, plan: Plan, seed: number): LoadVerdict {
  const random = seededRandom(seed);
  const steps: StepRecord[] = [];
  const take = (rate: number, stepSeconds = plan.stepSeconds): StepRecord => {
    steps.push(virtualStep(target, rate, { ...plan, stepSeconds }, steps.length, random));
    return steps.at(-1)!;
  };
  if (plan.rates.kind === 'search') search(plan, plan.rates, take);
  else if (plan.rates.kind === 'target') take(plan.rates.rate * plan.rates.headroom);
  return judgeSteps(plan, steps).loads[0]!;
}

function search(
  plan: Plan,
  config: Extract<Plan['rates'], { kind: 'search' }>,
  take: (rate: number, stepSeconds: number) => StepRecord,
) {
  const tried: Tried[] = [];
  for (let rate = nextRate(tried, config); rate !== undefined; rate = nextRate(tried, config)) {
    if (config.challenge !== undefined && rate < config.challenge) break;
    const step = take(rate, searchStepSeconds(rate, tried, config, plan.stepSeconds));
    const outcome = asTried({ step, judged: judgeStep(step, plan.slo) });
    // In virtual time what cannot be judged once cannot be judged at all: the rate gives too few requests.
    if (outcome.length === 0) return;
    tried.push(...outcome);
  }
}
