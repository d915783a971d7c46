import { UsageError } from '../../core/errors.js';
import { flag } from '../../plan/options.js';
import type { RecordReader } from '../../commands/feature.js';
import { ASKED_FLAGS } from '../../recommend/asked.js';
import { printConfirm } from './command.js';
import { concludeConfirm, recommendFromConfirm } from './write.js';

/** Reads a record of `confirm` again. */
export const readConfirmRecord: RecordReader = {
  report: async (folder, json) => printConfirm(await concludeConfirm(folder), json),
  recommend: async (folder, asked) => {
    const given = ASKED_FLAGS.filter((key) => asked[key] !== undefined);
    if (given.length > 0)
      throw new UsageError(`${folder}: confirms values at its own rate; omit ${given.map(flag).join(', ')}.`);
    return recommendFromConfirm(folder);
  },
};
