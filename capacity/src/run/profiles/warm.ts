import { deathReasons } from '../../judge/events.js';
import { answeredRate } from '../../judge/sustained.js';
import type { StepRecord } from '../../model/step.js';

/** A cold n8n serves less. It is warm when a step serves at most this multiple of the step before. */
const GROWS = 1.05;
/** Steps at most until it is. */
const MOST_STEPS = 4;

/**
 * Repeats a step of clients that each wait for their answer until n8n is warm. It ends at once where nothing is answered or
 * something dies: more of these clients would only do it again.
 * @returns the steps; the last is the one of a warm n8n
 */
export async function untilWarm(take: () => Promise<StepRecord>): Promise<StepRecord[]> {
  const steps = [await take()];
  while (steps.length < MOST_STEPS && mayBeCold(steps.at(-1)!, steps.at(-2))) steps.push(await take());
  return steps;
}

const mayBeCold = (last: StepRecord, before?: StepRecord) =>
  deathReasons(last).length === 0 && answeredRate(last) > GROWS * (before ? answeredRate(before) : 0);
