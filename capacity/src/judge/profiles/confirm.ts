import { concludeRates } from '../conclusion.js';
import type { JudgeProfile } from '../profile.js';

/** One deployment of a confirmation: PASS if the highest of its rates holds. */
export const confirm: JudgeProfile<'confirm'> = {
  conclude: ({ rates }, steps, found) => concludeRates(Math.max(...rates), steps, found),
};
