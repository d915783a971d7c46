import type { Plan } from '../plan/plan.js';
import type { Slo } from '../plan/slo.js';
import type { StepRecord } from '../record/types.js';
import { bracket, type Tried } from './search.js';
import { judgeStep, percent, type StepVerdict, type Verdict } from './step.js';

/** A step with its verdict. */
export interface JudgedStep {
  step: StepRecord;
  judged: StepVerdict;
}

/** What was found for one load. */
export interface LoadVerdict {
  load: string;
  verdict: Verdict;
  /** One sentence. */
  conclusion: string;
  steps: JudgedStep[];
  /** Highest sustained arrival rate, in executions per second; absent when none held or in a closed step. */
  capacity?: number;
  /** Lowest rate that did not hold; absent when none was reached. */
  broken?: number;
}

export interface RunVerdict {
  verdict: Verdict;
  loads: LoadVerdict[];
}

/** Judges a run from its steps alone. The worst load decides: FAIL before INVALID before PASS. */
export function judgeRun(plan: Plan, steps: StepRecord[]): RunVerdict {
  const loads = plan.loads.map((load) =>
    judgeLoad(
      load.name,
      plan,
      steps.filter((s) => s.load === load.name),
    ),
  );
  const verdict = (['FAIL', 'INVALID'] as const).find((v) => loads.some((l) => l.verdict === v)) ?? 'PASS';
  return { verdict, loads };
}

function judgeLoad(load: string, plan: Plan, steps: StepRecord[]): LoadVerdict {
  const judged = steps.map((step) => ({ step, judged: judgeStep(step, plan.slo) }));
  if (judged.length === 0) return { load, verdict: 'INVALID', conclusion: 'no step has ended', steps: [] };
  const { held, broken } = bracket(judged.flatMap(asTried));
  const found = { ...(held !== undefined && { capacity: held }), ...(broken !== undefined && { broken }) };
  return { load, steps: judged, ...found, ...conclude(plan, judged, held, broken) };
}

/** A judged step for the search; a closed step has no rate, an INVALID one tells nothing of its rate. */
export function asTried({ step, judged }: JudgedStep): Tried[] {
  if (step.rate === undefined || judged.verdict === 'INVALID') return [];
  const clear =
    judged.reasons.some((r) => r.code === 'died' || r.code === 'dropped' || r.code === 'completed') ||
    judged.reasons.length > 1;
  return [{ rate: step.rate, sustained: judged.verdict === 'PASS', clear }];
}

function conclude(
  { rates, slo }: Plan,
  steps: JudgedStep[],
  held?: number,
  broken?: number,
): Pick<LoadVerdict, 'verdict' | 'conclusion'> {
  const last = steps.at(-1)!;
  const why = (s: JudgedStep) => s.judged.reasons.map((r) => r.text).join('; ');
  if (rates.kind === 'closed') {
    const { verdict } = last.judged;
    const rate = last.step.summary.answered / ((last.step.measuredTo - last.step.measuredFrom) / 1000);
    return {
      verdict,
      conclusion: `${rates.clients} clients: ${format(rate)}/s answered${verdict === 'PASS' ? '' : `; ${why(last)}`}`,
    };
  }
  if (rates.kind === 'target') {
    const asked = `${format(rates.rate)}/s with headroom ${rates.headroom} (${format(rates.rate * rates.headroom)}/s)`;
    const { verdict } = last.judged;
    if (verdict === 'PASS' && !supportsClaim(last, slo))
      return { verdict: 'INVALID', conclusion: `cannot claim ${asked}: ${unproven(last, slo)}` };
    const words = { PASS: 'sustains', FAIL: 'does not sustain', INVALID: 'cannot judge' };
    return { verdict, conclusion: `${words[verdict]} ${asked}${verdict === 'PASS' ? '' : `: ${why(last)}`}` };
  }
  const invalid = steps.find((s) => s.judged.verdict === 'INVALID' && !judgedAt(steps, s.step.rate));
  if (held === undefined && broken === undefined)
    return { verdict: 'INVALID', conclusion: `cannot judge: ${why(invalid ?? last)}` };
  const least = rates.kind === 'rates' ? rates.rates[0]! : rates.start;
  if (held === undefined || held < least) {
    const first = steps.find((s) => s.step.rate === broken && s.judged.verdict === 'FAIL')!;
    const lower = held === undefined ? '' : `, only ${format(held)}/s`;
    return { verdict: 'FAIL', conclusion: `does not sustain ${format(broken!)}/s${lower}: ${why(first)}` };
  }
  const breaking = steps.find((s) => s.step.rate === broken && s.judged.verdict === 'FAIL');
  const limit = breaking ? `, breaks at ${format(broken!)}/s: ${why(breaking)}` : ', and no step broke it';
  if (invalid && broken === undefined)
    return { verdict: 'INVALID', conclusion: `sustains ${format(held)}/s, then cannot judge: ${why(invalid)}` };
  return { verdict: 'PASS', conclusion: `sustains ${format(held)}/s${limit}` };
}

/** Whether some step at this rate could be judged: an INVALID one that was repeated with success tells nothing. */
const judgedAt = (steps: JudgedStep[], rate: number | undefined) =>
  steps.some((s) => s.step.rate === rate && s.judged.verdict !== 'INVALID');

/** Whether the sample is large enough to say that errors meet the objective. One of 0 can be broken, never proved. */
const supportsClaim = ({ judged }: JudgedStep, slo: Slo) =>
  slo.errors === 0 || judged.errorRateUpperBound <= slo.errors;

function unproven({ step: { summary }, judged }: JudgedStep, slo: Slo): string {
  const seen = `${summary.failed} of ${summary.answered + summary.failed} requests failed, at most ${percent(judged.errorRateUpperBound)} at 95 % confidence`;
  return `${seen}, and the SLO allows ${percent(slo.errors)}: lengthen the step (--step-duration)`;
}

/** A rate for people: three significant digits. */
export const format = (rate: number): string => String(Number(rate.toPrecision(3)));
