import { answeredRate } from '../../judge/sustained.js';
import type { StepRecord } from '../../model/step.js';

/** An n8n that has just started serves less: it is warm when a step serves no more than so many times the one before. */
const GROWS = 1.05;
/** Steps at most until it is. */
const MOST_STEPS = 4;

/**
 * Repeats a step of clients that each wait for their answer until n8n is warm.
 * @returns the steps, at least two; the last is the one of a warm n8n
 */
export async function untilWarm(take: () => Promise<StepRecord>): Promise<StepRecord[]> {
  const steps = [await take()];
  for (let before = 0; steps.length < MOST_STEPS && answeredRate(steps.at(-1)!) >= GROWS * before;) {
    before = answeredRate(steps.at(-1)!);
    steps.push(await take());
  }
  return steps;
}
