import { isBroken } from '../broken.js';
import type { DriveProfile } from '../profile.js';

/** The given rates in order; on an n8n that others use, until one does not hold. */
export const driveRates: DriveProfile<'rates'> = {
  async drive({ context: { plan }, take }, { rates: asked }) {
    for (const rate of asked) if (isBroken(await take({ rate }), plan) && plan.guard) return;
  },
};
