import { format, percent } from '../core/formats.js';
import type { CapacityConfidence, JudgedStep, LoadVerdict, Tries } from '../model/verdict.js';
import type { StepRecord } from '../model/step.js';
import type { Plan, Slo } from '../model/plan.js';
import { upperBound95 } from '../stats/intervals.js';

/** A verdict and the one sentence that says it. */
export type LoadConclusion = Pick<LoadVerdict, 'verdict' | 'conclusion'>;

/** Requests answered per second. */
export const answeredRate = ({ summary, measuredFrom, measuredTo }: StepRecord): number =>
  summary.answered / ((measuredTo - measuredFrom) / 1000);

/**
 * Rates that were tried, by a search or as given: the highest that held, and what broke the next. Without an error a few
 * requests are taken at their word; where there were some, the sample must prove that they meet the objective.
 * @param least rate that must hold for a PASS
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
      conclusion: `sustains ${format(held.rate)}/s, then cannot judge: ${why(unclear)}`,
    };
  const limit = broken && breaking ? `breaks at ${tries(broken)}: ${why(breaking)}` : 'and no step broke it';
  const judged = steps.filter((s) => s.judged.verdict !== 'INCONCLUSIVE' && s.step.rate! <= held.rate);
  const seen = errorsOf(judged.filter((s) => s.step.rate === held.rate));
  if (!proves(seen, slo) && (breaksSlo(errorsOf(judged), slo) || seen.failed > 0 || failsAlike(seen, breaking)))
    return { verdict: 'INCONCLUSIVE', conclusion: `cannot claim ${tries(held)}: ${unproven(seen, slo)}; ${limit}` };
  return { verdict: 'PASS', conclusion: `sustains ${tries(held)}, ${limit}` };
}

/** A rate, and how often it held where it was tried more than once. */
const tries = ({ rate, steps, sustained }: Tries): string =>
  `${format(rate)}/s${steps > 1 ? ` (held in ${sustained} of ${steps} steps)` : ''}`;

/** Why a step has its verdict, in one line. */
export const why = (s: JudgedStep): string => s.judged.reasons.map((r) => r.text).join('; ');

/** Whether some step at this rate could be judged: an INCONCLUSIVE one that was repeated with success tells nothing. */
const judgedAt = (steps: JudgedStep[], rate: number | undefined) =>
  steps.some((s) => s.step.rate === rate && s.judged.verdict !== 'INCONCLUSIVE');

/** Failed requests among all, over some steps. */
export interface Errors {
  failed: number;
  requests: number;
}

/** Failed requests of these steps. */
export function errorsOf(steps: JudgedStep[]): Errors {
  const failed = steps.reduce((sum, { step }) => sum + step.summary.failed, 0);
  return { failed, requests: steps.reduce((sum, { step }) => sum + step.summary.answered, failed) };
}

/** Whether the sample is large enough to say that errors meet the objective. One of 0 can be broken, never proved. */
export const proves = ({ failed, requests }: Errors, slo: Slo) =>
  slo.errors === 0 || upperBound95(failed, requests) <= slo.errors;

const breaksSlo = ({ failed, requests }: Errors, slo: Slo) => failed > slo.errors * requests;

/** Whether the errors that broke a step may well be at work here too: this sample cannot tell its rate from that one. */
const failsAlike = ({ failed, requests }: Errors, breaking: JudgedStep | undefined) =>
  breaking !== undefined &&
  breaking.judged.reasons.some((r) => r.code === 'errors') &&
  upperBound95(failed, requests) >= breaking.judged.errorRate;

/** Why a sample proves nothing, and what to do. */
export function unproven({ failed, requests }: Errors, slo: Slo): string {
  const seen = `${failed} of ${requests} requests failed, at most ${percent(upperBound95(failed, requests))} at 95 % confidence`;
  return `${seen}, and the SLO allows ${percent(slo.errors)}: lengthen the step (--step-duration)`;
}
