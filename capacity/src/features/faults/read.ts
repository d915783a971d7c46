import type { RecordReader } from '../../commands/feature.js';
import { printFaultsResult } from './command.js';
import { concludeFaults } from './conclude.js';

/** Reads a record of `faults` again. */
export const readFaultsRecord: RecordReader = {
  report: async (folder, json) => printFaultsResult(await concludeFaults(folder), json),
};
