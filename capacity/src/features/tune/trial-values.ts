import { nestValues } from '../../plan/dimensions.js';
import type { Change } from './record.js';
import { givenVariables } from './changes.js';

/**
 * The values of the chart that a trial adds to those of the user. Helm replaces lists, so the user's variables are repeated.
 * @param given the user's values, as helm merges them
 */
export function trialValues(changes: Change[], given: Record<string, unknown>): Record<string, unknown> {
  const variables = changes.flatMap(({ env }) => env ?? []);
  return {
    ...nestValues(Object.assign({}, ...changes.map((change) => change.values)) as Change['values']),
    ...(variables.length > 0 && { extraEnv: [...givenVariables(given), ...variables] }),
  };
}
