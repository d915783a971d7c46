import type { ChangeEffect, TuneRecord } from '../record.js';

/** The loads whose effects are told apart; none where there is one alone. */
export const loadsIn = (effects: Pick<ChangeEffect, 'loads'>[]): string[] => [
  ...new Set(effects.flatMap(({ loads = {} }) => Object.keys(loads))),
];

/** How many trials with a change failed, and why; undefined where none did. */
export const failuresText = ({ failures }: ChangeEffect): string | undefined =>
  failures && `${failures.failed} of ${failures.trials} trials failed: ${failures.why}`;

/** What was driven, in words. */
export function loadsText({ plan: { loads } }: Pick<TuneRecord, 'plan'>): string {
  const names = loads.map(({ name }) => name).join(', ');
  return loads.length > 1 ? `${names} (geometric mean)` : names;
}
