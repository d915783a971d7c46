import type { Kind, Plan, RatesOf } from '../model/plan.js';
import type { RowsRecord, Sample } from '../model/sample.js';
import type { RunRecord } from '../model/run.js';
import type { StepRecord } from '../model/step.js';
import type { CapacityConfidence, JudgedStep, RunVerdict } from '../model/verdict.js';
import type { LoadConclusion } from './conclusion.js';

/** The records that a run is judged from. */
export interface Records {
  run: RunRecord;
  steps: StepRecord[];
  samples: Sample[];
  rows: RowsRecord[];
}

/** How runs of one kind are judged; one file in `profiles/` for each kind. */
export interface JudgeProfile<K extends Kind> {
  /**
   * The verdict on one load.
   * @param steps at least one
   * @param found the highest rate that held and the lowest that did not; empty if steps have no rates
   */
  conclude(
    rates: RatesOf<K>,
    steps: [JudgedStep, ...JudgedStep[]],
    plan: Plan,
    found: Partial<CapacityConfidence>,
  ): LoadConclusion;
  /** The verdict on the whole run; undefined: the worst verdict of its loads. */
  judge?(loads: RunVerdict, records: Records): RunVerdict;
}
