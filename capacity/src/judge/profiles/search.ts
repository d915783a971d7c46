import { concludeRates } from '../conclusion.js';
import type { JudgeProfile } from '../profile.js';

/** A search for the capacity: PASS if a rate holds, or with a challenge that one. */
export const search: JudgeProfile<'search'> = {
  conclude: ({ challenge = 0 }, steps, found) => concludeRates(challenge, steps, found),
};
