import type { Sample } from '../model/sample.js';
import type { DeploymentRecord } from '../model/run.js';
import type { JudgedStep, LoadVerdict } from '../model/verdict.js';
import { findBottleneck, type Bottleneck } from './bottleneck/find.js';
import { isDisturbed } from './tried.js';

/**
 * The steps at the lowest rate that a load did not sustain, without those that held or were disturbed: what limits there is
 * what limits the capacity. Steps far above it fail for other reasons. Without such a rate, the step that was saturated, or
 * else, as in a closed step, the first that failed; empty if none did.
 */
export function kneeSteps({ steps, broken, saturated }: LoadVerdict): JudgedStep[] {
  const at = steps.filter((s) => broken !== undefined && s.step.rate === broken && !isDisturbed(s));
  const broke = at.filter((s) => s.judged.verdict !== 'PASS');
  if (saturated) return [saturated.step];
  return broke.length > 0 ? broke : steps.filter((s) => s.judged.verdict === 'FAIL').slice(0, 1);
}

/** What limits the capacity of a load; undefined if no step broke. */
export function findLoadBottleneck(
  deployment: DeploymentRecord,
  load: LoadVerdict,
  samples: Sample[],
): Bottleneck | undefined {
  const knee = kneeSteps(load);
  if (knee.length === 0) return undefined;
  // Nothing but memory was wrong: a busy CPU was still fast enough.
  const isMemory = knee.every(({ judged }) => judged.reasons.every((r) => r.code === 'memory'));
  const steps = knee.map((s) => s.step);
  return findBottleneck(deployment, steps, samples, isMemory ? 'memory' : undefined);
}
