import { judgeStep } from '../../judge/step.js';
import { collectTries } from '../../judge/tried.js';
import type { Plan } from '../../model/plan.js';
import type { StepRecord } from '../../model/step.js';
import type { DriveProfile } from '../profile.js';
import { MOST_FAILURES } from '../../judge/outcomes.js';
import { endsGuarded } from '../prove.js';

/** The given rates in order, then those that higher ones contradict; on an n8n that others use, until one does not hold. */
export const driveRates: DriveProfile<'rates'> = {
  async drive({ context: { plan }, take }, { rates: asked }) {
    const steps: StepRecord[] = [];
    const next = () => asked[steps.length] ?? contradicted(steps, plan);
    for (let rate = next(); rate !== undefined && !endsGuarded(plan, steps); rate = next())
      steps.push(await take({ rate }));
  },
};

/**
 * A rate that was missed, by what chance may explain, although a higher one held: n8n had just started, or something slowed it for a
 * moment. It is tried again until most of its tries agree. Undefined: none.
 */
function contradicted(steps: StepRecord[], plan: Plan): number | undefined {
  const tried = collectTries(
    steps.map((step) => ({ step, judged: judgeStep(step, plan.slo) })),
    plan,
  );
  const highest = Math.max(...tried.filter((t) => t.sustained).map(({ rate }) => rate));
  return tried.find(({ rate }) => {
    const tries = tried.filter((t) => t.rate === rate);
    const failures = tries.filter((t) => !t.sustained).length;
    const isOpen = failures > 0 && failures < MOST_FAILURES && tries.length <= 2 * failures;
    return rate < highest && isOpen && tries.every((t) => !t.clear);
  })?.rate;
}
