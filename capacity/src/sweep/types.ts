import type { Candidate } from '../judge/explore.js';
import type { Verdict } from '../judge/step.js';
import type { DimensionValue } from '../plan/dimensions.js';
import type { ProvisionerName } from '../model/record.js';
import type { SweepPlan } from '../plan/sweep.js';
import type { Cost } from '../judge/cost.js';

/** One configuration of a sweep as its record knows it. */
export interface SweepCandidate extends Omit<Candidate, 'cost'> {
  values: Record<string, DimensionValue>;
  cost: Cost;
}

/** `sweep.json`: what was asked, written before anything is measured. */
export interface SweepRecord {
  tool: string;
  startedAt: string;
  plan: SweepPlan;
  /** Where its configurations run; absent in older records, which are of local processes. */
  provisioner?: ProvisionerName;
  /** Executions per second that a configuration must sustain; absent where capacities are sought. */
  target?: number;
  candidates: SweepCandidate[];
  /** Configurations that the chart refuses, or whose slots allow less than the target (`bound`, in executions per second). */
  excluded: { id: string; values: Record<string, DimensionValue>; reason: string; bound?: number }[];
}

/** A line of `outcomes.ndjson`: what measuring a configuration has shown. */
export interface Outcome {
  id: string;
  /**
   * What was done: `measure` as the plan says; `soak`, the longer step at the target before it is recommended; or
   * `noise`, one of the runs that show by how much the same configuration differs.
   */
  purpose: 'measure' | 'soak' | 'noise';
  verdict: Verdict;
  /** Highest rate that it sustained, or that its clients got answered within the SLO, in executions per second; 0 when none. */
  capacity: number;
  /** One sentence. */
  conclusion: string;
  /** The rate that it had to sustain to be worth its cost, where it was stopped because it did not. */
  challenge?: number;
  /** Time under load, warm-ups included, and all of the time that it took, in seconds. */
  loadSeconds: number;
  seconds: number;
}
