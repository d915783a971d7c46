import type { RecordReader } from '../../commands/feature.js';
import { printTuneResult } from './command.js';
import { concludeTune } from './conclude.js';

/** Reads a record of `tune` again. */
export const readTuneRecord: RecordReader = {
  report: async (folder, json) => printTuneResult(await concludeTune(folder), json),
};
