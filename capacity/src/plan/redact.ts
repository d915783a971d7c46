import type { Overrides, Plan } from '../model/plan.js';

/** Words in a path whose value may be a secret. Names of existing Secrets are not secret. */
const SECRET = /password|secret|token|key|extraEnv/i;
const NAME_OF_SECRET = /existingSecret(Key)?=[^,]*/gi;

/** A `--set` assignment for a record, which people share: unchanged, or only its first key if a value may be secret. */
export function redacted(assignment: string): string {
  if (!SECRET.test(assignment.replace(NAME_OF_SECRET, ''))) return assignment;
  return `${assignment.split('=')[0]}=<not recorded>`;
}

const redactedOverrides = (overrides: Overrides): Overrides =>
  Object.fromEntries(
    Object.entries(overrides).map(([name, value]) => [name, SECRET.test(name) ? '<not recorded>' : value]),
  );

/** The plan for a record, without values of `--set` that may be secret; of another chart all may be. */
export function redactedPlan(plan: Plan): Plan {
  const safe = plan.foreign ? (assignment: string) => `${assignment.split('=')[0]}=<not recorded>` : redacted;
  const { foreign, values } = plan;
  return {
    ...plan,
    values: { ...values, set: values.set.map(safe) },
    ...(foreign?.overrides && { foreign: { ...foreign, overrides: redactedOverrides(foreign.overrides) } }),
  };
}
