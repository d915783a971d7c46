import { judgeStep } from '../judge/step.js';
import type { Plan } from '../model/plan.js';
import type { StepRecord } from '../model/step.js';

/** Whether the objective was missed, or something under test failed. */
export const isBroken = (step: StepRecord, { slo }: Pick<Plan, 'slo'>): boolean =>
  step.aborted === true || judgeStep(step, slo).verdict === 'FAIL';
