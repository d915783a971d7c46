import { phasesOf } from '../../plan/burst.js';
import type { DriveProfile } from '../profile.js';

/** Base load, spike and base load again as one step: a burst is about what happens at the edges. */
export const driveBurst: DriveProfile<'burst'> = {
  async drive({ take }, rates) {
    await take({ phases: phasesOf(rates) });
  },
};
