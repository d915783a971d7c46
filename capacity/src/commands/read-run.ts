import { recommendFromRun } from '../recommend/from-run.js';
import { conclude } from '../run/conclude.js';
import type { RecordReader } from './feature.js';
import { printRun } from './run-plan.js';

/** Reads the record of one run again, as validate, soak, burst and payload-limit write it. */
export const readRunRecord: RecordReader = {
  report: async (folder, json) => printRun(await conclude(folder), json),
  recommend: recommendFromRun,
};
