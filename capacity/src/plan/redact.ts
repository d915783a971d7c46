import type { Plan } from '../model/plan.js';

/** Words in a value's path that say that it may be a secret; names of existing Secrets are none. */
const SECRET = /password|secret|token|key|extraEnv/i;
const NAME_OF_SECRET = /existingSecret(Key)?=[^,]*/gi;

/** A `--set` assignment for a record that is passed around: as it is, or its first key alone when a value may be a secret. */
export function redacted(assignment: string): string {
  if (!SECRET.test(assignment.replace(NAME_OF_SECRET, ''))) return assignment;
  return `${assignment.split('=')[0]}=<not recorded>`;
}

/** The plan as a record keeps it: what `--set` may have held of secrets is not in it. */
export const redactedPlan = (plan: Plan): Plan => ({
  ...plan,
  values: { ...plan.values, set: plan.values.set.map(redacted) },
});
