import type { ChangeEffect, TuneRecord } from '../record.js';

/** Names of the loads whose effects are listed separately; empty for a single load. */
export const loadsWithEffects = (effects: Pick<ChangeEffect, 'loads'>[]): string[] => [
  ...new Set(effects.flatMap(({ loads = {} }) => Object.keys(loads))),
];

/** How many trials with a change failed, and why; undefined if none failed. */
export const failuresText = ({ failures }: ChangeEffect): string | undefined =>
  failures && `${failures.failed} of ${failures.trials} trials failed: ${failures.why}`;

/** The driven loads, in words. */
export function loadsText({ plan: { loads } }: Pick<TuneRecord, 'plan'>): string {
  const names = loads.map(({ name }) => name).join(', ');
  return loads.length > 1 ? `${names} (geometric mean)` : names;
}
