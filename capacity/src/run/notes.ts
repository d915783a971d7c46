import type { Plan } from '../model/plan.js';
import { tooFewRequests } from './too-few-requests.js';
import { tooFewSlots } from './too-few-slots.js';

/** What arithmetic says of a run before anything is deployed: why its rates cannot hold, or cannot be proved. */
export const notesOn = (plan: Plan, deployment: Parameters<typeof tooFewSlots>[1]): string[] => [
  ...tooFewSlots(plan, deployment),
  ...tooFewRequests(plan),
];
