import type { DriveProfile } from '../profile.js';

/** One step at the target times the headroom. */
export const driveTarget: DriveProfile<'target'> = {
  async drive({ take }, { rate, headroom }) {
    await take({ rate: rate * headroom });
  },
};
