import { sum } from 'simple-statistics';
import { format, percent } from '../core/formats.js';
import type { CapacityConfidence, JudgedStep, LoadVerdict, Tries } from '../model/verdict.js';
import type { Plan, Slo } from '../model/plan.js';
import { upperBound95 } from '../stats/intervals.js';

/** A verdict, and the same as a sentence. */
export type LoadConclusion = Pick<LoadVerdict, 'verdict' | 'conclusion'>;

/**
 * The verdict on rates that were tried, by a search or as given: the highest that held, and what broke the next. If no
 * request failed, a small sample suffices; if some did, the sample must prove that they meet the objective.
 * @param least rate that must hold for a PASS
 * @param steps at least one
 */
export function concludeRates(
  least: number,
  steps: JudgedStep[],
  { slo }: Plan,
  { held, broken }: Partial<CapacityConfidence>,
): LoadConclusion {
  const unclear = steps.find((s) => s.judged.verdict === 'INCONCLUSIVE' && !judgedAt(steps, s.step.rate));
  if (!held && !broken)
    return { verdict: 'INCONCLUSIVE', conclusion: `cannot judge: ${why(unclear ?? steps.at(-1)!)}` };
  const breaking = steps.find((s) => s.step.rate === broken?.rate && s.judged.verdict === 'FAIL');
  if (!held || held.rate < least) {
    const lower = held ? `, only ${tries(held)}` : '';
    return { verdict: 'FAIL', conclusion: `does not sustain ${format(broken!.rate)}/s${lower}: ${why(breaking!)}` };
  }
  if (unclear && !broken)
    return {
      verdict: 'INCONCLUSIVE',
      conclusion: `sustains ${format(held.rate)}/s; cannot judge higher rates: ${why(unclear)}`,
    };
  const limit = broken && breaking ? `breaks at ${tries(broken)}: ${why(breaking)}` : 'and no step broke it';
  const judged = steps.filter((s) => s.judged.verdict !== 'INCONCLUSIVE' && s.step.rate! <= held.rate);
  const seen = errorsOf(judged.filter((s) => s.step.rate === held.rate));
  if (!proves(seen, slo) && (breaksSlo(errorsOf(judged), slo) || seen.failed > 0 || failsAlike(seen, breaking)))
    return { verdict: 'INCONCLUSIVE', conclusion: `cannot prove ${tries(held)}: ${unproven(seen, slo)}; ${limit}` };
  return { verdict: 'PASS', conclusion: `sustains ${tries(held)}, ${limit}` };
}

/** A rate, and how often it held if it was tried more than once. */
const tries = ({ rate, steps, sustained }: Tries): string =>
  `${format(rate)}/s${steps > 1 ? ` (held in ${sustained} of ${steps} steps)` : ''}`;

/** Why a step has its verdict, in one line. */
export const why = (s: JudgedStep): string => s.judged.reasons.map((r) => r.text).join('; ');

/** Whether some step at this rate was judged: an INCONCLUSIVE step that was repeated does not count. */
const judgedAt = (steps: JudgedStep[], rate: number | undefined) =>
  steps.some((s) => s.step.rate === rate && s.judged.verdict !== 'INCONCLUSIVE');

/** Failed and all requests of some steps. */
export interface Errors {
  failed: number;
  requests: number;
}

/** Counts the failed and all requests of these steps. */
export function errorsOf(steps: JudgedStep[]): Errors {
  const failed = sum(steps.map(({ step }) => step.summary.failed));
  return { failed, requests: failed + sum(steps.map(({ step }) => step.summary.answered)) };
}

/** Whether the sample proves that errors meet the objective. An objective of 0 can be broken but not proved. */
export const proves = ({ failed, requests }: Errors, slo: Slo) =>
  slo.errors === 0 || upperBound95(failed, requests) <= slo.errors;

const breaksSlo = ({ failed, requests }: Errors, slo: Slo) => failed > slo.errors * requests;

/** Whether this sample could hide the error rate that broke a step above: it does not show that its own rate is lower. */
const failsAlike = ({ failed, requests }: Errors, breaking: JudgedStep | undefined) =>
  breaking !== undefined &&
  breaking.judged.reasons.some((r) => r.code === 'errors') &&
  upperBound95(failed, requests) >= breaking.judged.errorRate;

/** Why a sample does not prove that errors meet the objective, and what to do. */
export function unproven({ failed, requests }: Errors, slo: Slo): string {
  const seen = `${failed} of ${requests} requests failed, at most ${percent(upperBound95(failed, requests))} at 95 % confidence`;
  return `${seen}, but the SLO allows ${percent(slo.errors)}; use a longer --step-duration`;
}
