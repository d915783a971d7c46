import { clientsOf } from '../../judge/bounds.js';
import { answeredRate } from '../../judge/sustained.js';
import type { DriveProfile } from '../profile.js';

/** An n8n that has just started serves less: it is warm when a step serves no more than so many times the one before. */
const GROWS = 1.05;
/** Steps at most until it is. */
const MOST_STEPS = 4;

/** Clients that each wait for their answer: one step, and before an overload as many as it takes until n8n is warm. */
export const driveClosed: DriveProfile<'closed'> = {
  async drive({ take, load }, { overload, ...rates }) {
    const clients = clientsOf(rates, load);
    let before = answeredRate(await take({ clients }));
    if (overload === undefined) return;
    for (let steps = 1; steps < MOST_STEPS; steps++) {
      const rate = answeredRate(await take({ clients }));
      if (rate < GROWS * before) return;
      before = rate;
    }
  },
};
