import type { ChangeEffect, TuneRecord } from '../model/tune.js';

/** The loads whose effects are told apart; none where there is one alone. */
export const loadsIn = (effects: Pick<ChangeEffect, 'loads'>[]): string[] => [
  ...new Set(effects.flatMap(({ loads = {} }) => Object.keys(loads))),
];

/** What was driven, in words. */
export function loadsText({ plan: { loads } }: Pick<TuneRecord, 'plan'>): string {
  const names = loads.map(({ name }) => name).join(', ');
  return loads.length > 1 ? `${names} (geometric mean)` : names;
}
