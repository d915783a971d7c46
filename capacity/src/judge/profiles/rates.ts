import { concludeRates } from '../conclusion.js';
import type { JudgeProfile } from '../profile.js';

/** Given rates: PASS if the first holds. */
export const rates: JudgeProfile<'rates'> = {
  conclude: (asked, steps, found) => concludeRates(asked.rates[0]!, steps, found),
};
