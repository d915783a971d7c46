import { concludeRates } from '../conclusion.js';
import type { JudgeProfile } from '../profile.js';

/** A search for the capacity: PASS if the first rate holds. */
export const search: JudgeProfile<'search'> = {
  conclude: ({ start }, steps, plan, found) => concludeRates(start, steps, plan, found),
};
