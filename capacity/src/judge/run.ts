import type { Plan, RatePlan } from '../model/plan.js';
import type { StepRecord } from '../model/record.js';
import type { BurstReport } from './profiles/burst.js';
import { answeredRate, concludeClosed, concludeRates, concludeTarget, type Conclusion } from './conclusion.js';
import { bracket, type Tried } from './search.js';
import type { SoakReport } from './profiles/soak.js';
import { judgeStep, type StepVerdict, type Verdict } from './step.js';

export { format } from './conclusion.js';

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
  /** How sure the capacity is; with it. */
  confidence?: CapacityConfidence;
}

/** The true capacity lies between a rate that held and one that did not, as far as the steps at both are to be believed. */
export interface CapacityConfidence {
  held: Tries;
  /** Absent when no step broke the load: the capacity is then a lower bound. */
  broken?: Tries;
}

/** The steps at one rate that could be judged. */
export interface Tries {
  /** Arrivals per second. */
  rate: number;
  steps: number;
  /** In how many of them the rate was sustained. */
  sustained: number;
}

export interface RunVerdict {
  verdict: Verdict;
  loads: LoadVerdict[];
  /** Of a soak. */
  soak?: SoakReport;
  /** Of a burst. */
  burst?: BurstReport;
}

/**
 * What a load was shown to take within the SLO, in executions per second: its capacity, or what its clients got answered
 * in a closed step; 0 when nothing.
 */
export function sustainedRate({ capacity, verdict, steps }: LoadVerdict): number {
  if (capacity !== undefined) return capacity;
  const last = steps.at(-1)?.step;
  return verdict === 'PASS' && last?.clients !== undefined ? answeredRate(last) : 0;
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
  const found = endsOfBracket(judged.flatMap(asTried));
  const { held, broken } = found;
  return {
    load,
    steps: judged,
    ...(held && { capacity: held.rate, confidence: { held, ...(broken && { broken }) } }),
    ...(broken && { broken: broken.rate }),
    ...conclude(plan, judged, found),
  };
}

/**
 * A judged step for the search; a closed step has no rate, an INVALID one tells nothing of its rate. Errors alone that
 * chance explains do not break a rate: among few requests one error is many. Whether what held is proved is asked at the
 * end.
 */
export function asTried({ step, judged }: JudgedStep): Tried[] {
  if (step.rate === undefined || judged.verdict === 'INVALID') return [];
  const { reasons } = judged;
  const sound = reasons.filter((r) => r.code !== 'errors' || r.clear);
  return [{ rate: step.rate, sustained: sound.length === 0, clear: sound.length > 1 || sound.some((r) => r.clear) }];
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

function conclude(plan: Plan, steps: JudgedStep[], found: Partial<CapacityConfidence>): Conclusion {
  const { rates, slo } = plan;
  const last = steps.at(-1)!;
  if (rates.kind === 'closed') return concludeClosed(rates.clients, last);
  if (rates.kind === 'ceiling') return concludeClosed(last.step.clients!, last);
  if (rates.kind === 'target') return concludeTarget(rates, last, slo);
  return concludeRates(leastRate(rates), steps, plan, found);
}

/** The rate that must hold. */
function leastRate(rates: Extract<RatePlan, { kind: 'rates' | 'search' | 'soak' | 'burst' }>): number {
  if (rates.kind === 'burst') return rates.spike;
  if (rates.kind === 'soak') return rates.rate;
  return rates.kind === 'rates' ? rates.rates[0]! : rates.start;
}
