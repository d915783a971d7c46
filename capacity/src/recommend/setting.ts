import { formatNumber } from '../core/formats.js';
import type { StepRecord } from '../model/step.js';

/** A value to set, and its source. */
export interface Setting {
  path: string[];
  value: string | number | boolean | string[];
  /** `measured: …` or `computed: …`, with the record. */
  source: string;
  /** Path of a map among the given values whose numbers the setting replaces. */
  replaces?: string[];
}

/** A step, as the source of a value names it. */
export const stepName = (step: StepRecord) =>
  `steps.ndjson, step ${step.index} (${step.load} at ${step.rate === undefined ? `${step.clients} clients` : `${formatNumber(step.rate)}/s`})`;
