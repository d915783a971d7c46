import type { Tried } from '../../judge/search.js';
import type { Plan } from '../../model/plan.js';

/** How a search goes on from what it has tried. */
export interface Pace {
  /** First rate where nothing was seen. */
  start: number;
  /** Each step up multiplies the rate by this, each step down divides it. */
  factor: (tried: Tried[]) => number;
  /** Seconds of the next step. */
  seconds: (rate: number, tried: Tried[], plan: Plan) => number;
  /** The tries as the search takes them. */
  seen: (tried: Tried[]) => Tried[];
}
