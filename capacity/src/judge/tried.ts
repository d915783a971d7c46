import { searchOf } from '../plan/kinds.js';
import { sum } from 'simple-statistics';
import { HOLD_SECONDS, type Plan } from '../model/plan.js';
import type { StepRecord } from '../model/step.js';
import type { JudgedStep } from '../model/verdict.js';
import { isMemoryMeasured } from './memory.js';
import { judgeClaims, countErrors, partClaims } from './objectives.js';
import type { Tried } from './search.js';
import { MIN_SAMPLES } from '../stats/intervals.js';

/**
 * Judged steps as tries of the search: none for a closed step, which has no rate, or a disturbed one. A step that proves
 * nothing counts by what it saw: errors alone, which among few requests are a large share, do not break a rate.
 */
export function collectTries(steps: JudgedStep[], { slo, rates }: Pick<Plan, 'slo' | 'rates'>): Tried[] {
  // Where the user set the length of a step, it is as long as they think it takes.
  const least = searchOf(rates)?.samples === undefined ? 0 : HOLD_SECONDS * 1000;
  const counted = steps.filter((s) => s.step.rate !== undefined && !isDisturbed(s));
  return counted.map(({ step, judged }) => {
    const same = counted.filter((o) => o.step.rate === step.rate).map((o) => o.step);
    const pooled = judgeClaims(same, slo);
    const milliseconds = (s: StepRecord) => s.measuredTo - s.measuredFrom;
    const long = sum(same.map(milliseconds)) >= least;
    const failed = judged.verdict === 'FAIL' ? judged.reasons : [];
    const parts = partClaims(same, slo);
    const enough = countErrors(same).requests >= MIN_SAMPLES;
    const held = pooled.every((c) => c.state === 'held') && parts.every((c) => c.met);
    const broken = [...pooled, ...parts].some((c) => c.state === 'broken');
    const clear = failed.length > 1 || failed.some((r) => r.clear) || broken;
    const own = [...judgeClaims([step], slo), ...partClaims([step], slo)];
    const met = own.every((c) => c.met || c.objective === 'errors');
    return {
      rate: step.rate!,
      seconds: Math.max(milliseconds(step), step.aborted ? least : 0) / 1000,
      sustained: failed.length === 0 && !clear && met,
      clear,
      proved: long && enough && held && isMemoryMeasured(same),
    };
  });
}

/** Whether something else than too small a sample made a step INCONCLUSIVE. */
export const isDisturbed = ({ judged }: JudgedStep): boolean =>
  judged.verdict === 'INCONCLUSIVE' &&
  judged.reasons.some((r) => r.code !== 'unproven' && r.code !== 'too-few-samples');

/**
 * Whether executions were lost without any other sign of too much load: a lower rate would lose some, too, though perhaps none
 * in a short step.
 */
export const isLosingExecutions = ({ judged }: JudgedStep): boolean =>
  judged.verdict === 'FAIL' && judged.reasons.every((r) => r.code === 'completed');
