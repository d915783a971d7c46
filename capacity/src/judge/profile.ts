import type { InstanceEvent } from '../model/events.js';
import type { Kind, RatesOf } from '../model/plan.js';
import type { RowsRecord, Sample } from '../model/sample.js';
import type { RunRecord } from '../model/run.js';
import type { StepRecord } from '../model/step.js';
import type { JudgedStep, RunVerdict } from '../model/verdict.js';
import type { Found, LoadConclusion } from './conclusion.js';

/** The records that a run is judged from. */
export interface Records {
  run: RunRecord;
  steps: StepRecord[];
  samples: Sample[];
  rows: RowsRecord[];
  /** Of the whole run, those between steps included. */
  events?: InstanceEvent[];
}

/** How runs of one kind are judged; one file in `profiles/` for each kind. */
export interface JudgeProfile<K extends Kind> {
  /**
   * The verdict on one load.
   * @param steps at least one
   */
  conclude(rates: RatesOf<K>, steps: [JudgedStep, ...JudgedStep[]], found: Found): LoadConclusion;
  /** The verdict on the whole run; undefined: the worst verdict of its loads. */
  judge?(loads: RunVerdict, records: Records, rates: RatesOf<K>): RunVerdict;
}
