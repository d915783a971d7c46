import type { Plan, RatePlan } from '../plan/plan.js';
import type { StepRecord } from '../record/types.js';
import { bracket, type Tried } from './search.js';
import { judgeStep, type StepVerdict, type Verdict } from './step.js';

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
  return { load, steps: judged, ...found, ...conclude(plan.rates, judged, held, broken) };
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
  rates: RatePlan,
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
    const { verdict } = last.judged;
    const asked = `${format(rates.rate)}/s with headroom ${rates.headroom} (${format(rates.rate * rates.headroom)}/s)`;
    return {
      verdict,
      conclusion:
        verdict === 'PASS'
          ? `sustains ${asked}`
          : `${verdict === 'FAIL' ? 'does not sustain' : 'cannot judge'} ${asked}: ${why(last)}`,
    };
  }
  const invalid = steps.find((s) => s.judged.verdict === 'INVALID');
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

/** A rate for people: three significant digits. */
export const format = (rate: number): string => String(Number(rate.toPrecision(3)));
