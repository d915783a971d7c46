import type { DriveProfile } from '../profile.js';

/** One step of clients that each wait for their answer. */
export const driveClosed: DriveProfile<'closed'> = {
  async drive({ take }, { clients }) {
    await take({ clients });
  },
};
