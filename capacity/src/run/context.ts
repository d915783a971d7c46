import type { Sample } from '../model/sample.js';
import type { Generator } from '../model/generator.js';
import type { ClockWatch } from '../observe/clock.js';
import type { Sampler } from '../observe/sampler.js';
import type { LoadPlan, Phase, Plan } from '../model/plan.js';
import type { Deployment } from '../model/deployment.js';
import type { Recorder } from '../record/recorder.js';
import type { Progress } from '../core/progress.js';

/**
 * The load of a step: arrivals per second, rates that follow one another, or clients and, in a search for the payload
 * limit, what each of their executions holds.
 */
export type StepAt = { rate: number } | PhasedLoad | { clients: number; payloadMiB?: number };

/** Rates that follow one another: a burst, unless they are an overload. */
export interface PhasedLoad {
  phases: Phase[];
  /** A request that takes longer has failed, and no more are under way at once; undefined: as in every step. */
  bounds?: { timeoutSeconds: number; maxVUs: number };
}

/** What the steps of one run share. */
export interface StepContext {
  plan: Plan;
  generator: Generator;
  deployment: Deployment;
  sampler: Sampler;
  /** Whether a workflow starts asynchronous sub-workflows. */
  countsAsynchronous: boolean;
  clock: ClockWatch;
  /** Every sample so far; the sampler appends. */
  samples: Sample[];
  recorder: Recorder;
  progress: Progress;
  /** Set by a step that may have left work behind. */
  unsettled?: boolean;
}

/** What the slowest execution of the load takes by design, in seconds. */
export const longestExecution = (load: LoadPlan) => Math.max(...Object.values(load.executionSeconds));
