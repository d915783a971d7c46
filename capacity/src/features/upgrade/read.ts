import type { RecordReader } from '../../commands/feature.js';
import { printUpgraded } from './command.js';
import { concludeUpgrade } from './conclude.js';

/** Reads a record of `upgrade` again. */
export const readUpgradeRecord: RecordReader = {
  report: async (folder, json) => printUpgraded(await concludeUpgrade(folder), json),
};
