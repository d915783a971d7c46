import { asTried } from '../judge/run.js';
import { nextRate, type Tried } from '../judge/search.js';
import { judgeStep } from '../judge/step.js';
import type { LoadPlan, Plan } from '../model/plan.js';
import { searchStepSeconds } from '../plan/rates.js';
import type { StepRecord } from '../model/record.js';
import { stepLine } from '../report/terminal/run.js';
import { driveBurst } from './profiles/burst.js';
import { driveCeiling } from './profiles/payload-limit.js';
import type { StepContext } from './context.js';
import { countingRows } from './rows.js';
import { runStep } from './step.js';

/** INVALID steps of one search after which it ends. */
const MAX_INVALID = 1;

/**
 * The steps of one load, chosen as the plan says.
 * @param earlier all steps of the run so far, those of other loads included
 * @param recorded steps of the same run before it was interrupted: where the next step is among them it is not run again
 */
export async function driveLoad(
  context: StepContext,
  load: LoadPlan,
  earlier: StepRecord[],
  recorded: StepRecord[] = [],
): Promise<StepRecord[]> {
  const { plan, progress } = context;
  const steps: StepRecord[] = [];
  const take = async (at: { rate: number } | { clients: number }, seconds = plan.stepSeconds) => {
    const before = recorded.find((step) => step.index === earlier.length + steps.length && isOf(step, load, at));
    if (before) {
      steps.push(before);
      return before;
    }
    const label = `${load.name} at ${'rate' in at ? `${Number(at.rate.toPrecision(3))}/s` : `${at.clients} clients`}`;
    const step = await progress.during(label, () => runStep(context, load, at, earlier.length + steps.length, seconds));
    steps.push(step);
    progress.line(stepLine(step, judgeStep(step, plan.slo)));
    return step;
  };
  const { rates } = plan;
  if (rates.kind === 'ceiling') return driveCeiling(context, load, rates);
  if (rates.kind === 'closed') await take({ clients: rates.clients });
  else if (rates.kind === 'target') await take({ rate: rates.rate * rates.headroom });
  else if (rates.kind === 'soak') await countingRows(context, () => take({ rate: rates.rate }));
  else if (rates.kind === 'burst') steps.push(await driveBurst(context, load, rates));
  else if (rates.kind === 'rates') await takeInOrder(rates.rates, plan, take);
  else {
    const config = { ...rates, start: rates.challenge ?? informedStart(earlier, plan, rates.start) };
    const tried: Tried[] = [];
    let invalid = 0;
    const next = () => guarded(nextRate(tried, config), tried, plan);
    for (let rate = next(); rate !== undefined; rate = next()) {
      if (rates.challenge !== undefined && rate < rates.challenge) break;
      const step = await take({ rate }, searchStepSeconds(rate, tried, rates, plan.stepSeconds));
      const outcome = asTried({ step, judged: judgeStep(step, plan.slo) });
      tried.push(...outcome);
      if (plan.guard && isBroken(step, plan)) break;
      // What was not under test may fail once; then the same rate is tried again.
      if (outcome.length === 0 && ++invalid > MAX_INVALID) break;
    }
  }
  return steps;
}

/** Whether the objective was missed, or something under test failed. */
export const isBroken = (step: StepRecord, { slo }: Plan): boolean =>
  step.aborted === true || judgeStep(step, slo).verdict === 'FAIL';

/** One after another; of an n8n that others use, until one does not hold. */
async function takeInOrder(
  rates: number[],
  plan: Plan,
  take: (at: { rate: number }) => Promise<StepRecord>,
): Promise<void> {
  for (const rate of rates) if (isBroken(await take({ rate }), plan) && plan.guard) return;
}

/** The next rate of a search, at most the one that is allowed, which ends it when it holds. */
function guarded(rate: number | undefined, tried: Tried[], { guard }: Plan): number | undefined {
  if (!guard || rate === undefined) return rate;
  const most = Math.min(rate, guard.maxRate);
  return tried.some((t) => t.rate === most) ? undefined : most;
}

const isOf = (step: StepRecord, load: LoadPlan, at: { rate?: number; clients?: number }) =>
  step.load === load.name && step.rate === at.rate && step.clients === at.clients;

/** Half of what the load before took: closer to this one's capacity than any constant. */
function informedStart(earlier: StepRecord[], plan: Plan, start: number): number {
  const held = earlier.filter((s) => judgeStep(s, plan.slo).verdict === 'PASS').map((s) => s.rate ?? 0);
  return held.length === 0 ? start : Math.max(start, Number((Math.max(...held) / 2).toPrecision(2)));
}
