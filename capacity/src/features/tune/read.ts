import type { RecordReader } from '../../commands/feature.js';
import { printTuned } from './command.js';
import { concludeTune } from './conclude.js';

/** Reads a record of `tune` again. */
export const readTuneRecord: RecordReader = {
  report: async (folder, json) => printTuned(await concludeTune(folder), json),
};
