import { judgeClaims } from '../judge/objectives.js';
import { MOST_FAILURES } from '../judge/outcomes.js';
import { judgeStep } from '../judge/step.js';
import { isDisturbed, collectTries } from '../judge/tried.js';
import type { Plan, Slo } from '../model/plan.js';
import type { JudgedStep } from '../model/verdict.js';
import type { StepRecord } from '../model/step.js';
import { isBroken } from './broken.js';
import type { Driver } from './profile.js';

/** How long a rate is tried until its steps prove it or break it, in seconds of load. */
export interface ProofTime {
  /** Shortest next step. */
  least: number;
  /** Longest step. */
  step: number;
  /** Most in all, steps before included. */
  most: number;
}

/** Something else than n8n may fail once. */
const MOST_DISTURBED = 1;

/**
 * Repeats a rate until its steps together prove that every objective is held, or that one is broken, or the time is up.
 * @param rate arrivals per second
 * @param steps those at this rate so far; steps that are taken are appended
 */
export async function prove(
  { take, context: { plan } }: Driver,
  rate: number,
  steps: StepRecord[],
  { least, step: longest, most }: ProofTime,
): Promise<void> {
  for (;;) {
    const judged = steps.map((step): JudgedStep => ({ step, judged: judgeStep(step, plan.slo) }));
    const tried = collectTries(judged, plan);
    const failures = tried.filter((t) => !t.sustained).length;
    if (judged.filter(isDisturbed).length > MOST_DISTURBED || endsGuarded(plan, steps)) return;
    if (tried.some((t) => t.clear) || failures >= MOST_FAILURES) return;
    if (tried.at(-1)?.proved && tried.length > 2 * failures) return;
    const sofar = steps.reduce((sum, s) => sum + (s.measuredTo - s.measuredFrom) / 1000, 0);
    const needed = neededRequests(judged, plan.slo) / rate - sofar;
    const useful = Math.max(least, Number.isFinite(needed) ? needed : longest);
    const seconds = Math.ceil(Math.min(longest, useful, Math.max(least, most - sofar)));
    if (steps.length > 0 && sofar + seconds > most) return;
    steps.push(await take({ rate }, seconds));
  }
}

/** An n8n that others use gets no load after the first step that does not hold. */
export const endsGuarded = (plan: Plan, steps: StepRecord[]): boolean =>
  plan.guard !== undefined && steps.some((step) => isBroken(step, plan));

/** Requests in all that would decide every objective that is open; Infinity where no number would. */
export function neededRequests(judged: JudgedStep[], slo: Slo): number {
  const counted = judged.filter((s) => !isDisturbed(s)).map((s) => s.step);
  // A disturbed step says nothing of how many it takes.
  if (counted.length === 0) return 0;
  const claims = judgeClaims(counted, slo);
  return Math.max(0, ...claims.filter((c) => c.state === 'open').map((c) => c.needs));
}
