import type { RecordReader } from '../../commands/feature.js';
import { printUpgradeResult } from './command.js';
import { concludeUpgrade } from './conclude.js';

/** Reads a record of `upgrade` again. */
export const readUpgradeRecord: RecordReader = {
  report: async (folder, json) => printUpgradeResult(await concludeUpgrade(folder), json),
};
