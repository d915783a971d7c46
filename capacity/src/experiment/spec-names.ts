import { UsageError } from '../core/errors.js';
import { didYouMean } from '../core/did-you-mean.js';
import type { CellFilter, Experiment } from './spec.js';

/** Where a file names cells, for messages, and the names that it uses there. */
interface Naming {
  where: string;
  filter: CellFilter;
}

/**
 * Refuses parts and dimensions that no part has: what names no cell would say nothing, and nobody would see it.
 * @throws UsageError that names where it stands and what is known
 */
export function refuseUnknownNames(experiment: Experiment, file: string): void {
  const parts = new Map(experiment.parts.map(({ part, dimensions }) => [part, Object.keys(dimensions)]));
  const refuse = (where: string, what: string, name: string, known: string[]) => {
    throw new UsageError(
      `${file}: ${where}: ${what} "${name}" does not exist${didYouMean(name, known)} Known are ${known.join(', ')}.`,
    );
  };
  for (const { where, filter } of namings(experiment)) {
    const { part = [...parts.keys()], ...dimensions } = filter;
    for (const name of [part].flat().map(String)) {
      const known = parts.get(name) ?? refuse(where, 'part', name, [...parts.keys()]);
      const strange = Object.keys(dimensions).find((dimension) => !known.includes(dimension));
      if (strange !== undefined) refuse(where, `dimension of ${name}`, strange, known);
    }
  }
}

function namings({ parts, plots, claims, scalability, recommend }: Experiment): Naming[] {
  const along = (names: (string | undefined)[]) =>
    Object.fromEntries(names.flatMap((name) => (name === undefined ? [] : [[name, 'any']])));
  return [
    ...plots.map(({ title, part, where, x, series }) => ({
      where: `the plot "${title}"`,
      filter: { part, ...where, ...along([x, series]) },
    })),
    ...claims.flatMap(({ says, of, over }) =>
      [of, over].flatMap((filter) => (filter ? [{ where: `the claim "${says}"`, filter }] : [])),
    ),
    ...scalability.map((filter) => ({ where: 'scalability', filter })),
    ...recommend.map(({ part }) => ({ where: 'recommend', filter: { part } })),
    ...parts.flatMap(({ part, skip, quick }) => [
      ...skip.map((filter) => ({ where: `skip of ${part}`, filter: { part, ...filter } })),
      { where: `quick of ${part}`, filter: { part, ...along(Object.keys(quick?.dimensions ?? {})) } },
    ]),
  ];
}
