import { countingRows } from '../rows.js';
import type { DriveProfile } from '../profile.js';

/** One long step, while the rows of n8n's tables are counted. */
export const driveSoak: DriveProfile<'soak'> = {
  judgesCutStep: true,
  async drive({ context, take }, { rate }) {
    await countingRows(context, () => take({ rate }));
  },
};
