import type { Values } from '../model/plan.js';
import { profileFile } from './profiles.js';

/**
 * Helm's kinds of assignments, in the order in which helm merges them over the values files. Their order on the command line
 * does not matter (read: MergeValues in pkg/cli/values/options.go of helm 4.3.1).
 */
export const ASSIGNMENTS = ['setJson', 'set', 'setString', 'setFile'] as const satisfies (keyof Values)[];

const FLAGS: Record<(typeof ASSIGNMENTS)[number], string> = {
  setJson: '--set-json',
  set: '--set',
  setString: '--set-string',
  setFile: '--set-file',
};

/** The values as flags of n8n-capacity, in the order in which they are merged: a later one wins. */
export const valuesFlags = (values: Values): [flag: string, value: string][] => [
  ...(values.profile === undefined ? [] : [['--profile', values.profile] as [string, string]]),
  ...values.files.map((file): [string, string] => ['-f', file]),
  ...ASSIGNMENTS.flatMap((kind) =>
    (values[kind] ?? []).map((assignment): [string, string] => [FLAGS[kind], assignment]),
  ),
];

/** The values as arguments of `helm template` and `helm install`. */
export const helmArguments = (values: Values): string[] =>
  valuesFlags(values).flatMap(([flag, value]) => (flag === '--profile' ? ['-f', profileFile(value)] : [flag, value]));

/** The values with assignments that win over the user's of the same kind. */
export const addAssignments = (
  values: Values,
  { set = [], setString = [] }: Partial<Pick<Values, 'set' | 'setString'>>,
): Values => ({
  ...values,
  set: [...values.set, ...set],
  ...((values.setString ?? setString).length > 0 && { setString: [...(values.setString ?? []), ...setString] }),
});
