import { countClients } from '../../judge/bounds.js';
import type { DriveProfile } from '../profile.js';
import { untilWarm } from './warm.js';

/** Clients that each wait for their answer: one step, and before an overload as many as it takes until n8n is warm. */
export const driveClosed: DriveProfile<'closed'> = {
  async drive({ take, load }, { overload, ...rates }) {
    const clients = countClients(rates, load);
    if (overload === undefined) await take({ clients });
    else await untilWarm(() => take({ clients }));
  },
};
