import type { RecordReader } from '../../commands/feature.js';
import { printSweepResult } from './command.js';
import { concludeSweep } from './conclude.js';
import { recommendFromSweep } from './recommend.js';

/** Reads a record of `sweep` again. */
export const readSweepRecord: RecordReader = {
  report: async (folder, json) => printSweepResult(await concludeSweep(folder), json),
  recommend: recommendFromSweep,
};
