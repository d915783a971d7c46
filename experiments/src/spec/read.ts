import { dirname, resolve } from 'node:path';
import { didYouMean, UsageError, readYamlFile } from 'n8n-capacity';
import type { z } from 'zod';
import { COMMON_FILTER_NAMES } from './cells.js';
import { experimentSchema, type CellFilter, type Experiment } from './schema.js';

/**
 * Reads an experiment's file. Paths in the file are relative to it.
 * @throws UsageError that names the file, the key and the allowed values
 */
export function readExperiment(file: string): Experiment {
  const content = readYamlFile(file, file, 'give the file of an experiment, such as experiments/heap-size.yaml');
  const parsed = experimentSchema.safeParse(content);
  if (!parsed.success) throw new UsageError(`${file}: ${describeIssue(parsed.error)}`);
  const experiment = parsed.data;
  refuseUnknownNames(experiment, file);
  for (const { load } of experiment.parts)
    if (load.workflow !== undefined) load.workflow = resolve(dirname(file), load.workflow);
  return experiment;
}

function describeIssue({ issues: [issue] }: z.ZodError): string {
  if (issue?.code === 'unrecognized_keys') return `unknown key "${[...issue.path, issue.keys[0]].join('.')}".`;
  return `${issue?.path.join('.') || 'the experiment'}: ${issue?.message}.`;
}

/** A filter in the file, and its place for error messages. */
interface FilterUse {
  where: string;
  filter: CellFilter;
}

/**
 * Refuses unknown parts and dimensions; otherwise a filter that matches no cell would go unnoticed.
 * @throws UsageError that names the place and the known names
 */
function refuseUnknownNames(experiment: Experiment, file: string): void {
  const parts = new Map(experiment.parts.map(({ part, dimensions }) => [part, Object.keys(dimensions)]));
  const refuse = (where: string, what: string, name: string, known: string[]) => {
    throw new UsageError(
      `${file}: ${where}: ${what} "${name}" does not exist${didYouMean(name, known)} Known are ${known.join(', ')}.`,
    );
  };
  for (const { where, filter } of collectFilters(experiment)) {
    const { part = [...parts.keys()], webhook: _, ...dimensions } = filter;
    for (const name of [part].flat().map(String)) {
      const known = parts.get(name) ?? refuse(where, 'part', name, [...parts.keys()]);
      const unknown = Object.keys(dimensions).find((dimension) => !known.includes(dimension));
      if (unknown !== undefined) refuse(where, `dimension of ${name}`, unknown, known);
    }
  }
}

function collectFilters({ parts, plots, claims, scalability, cheapest }: Experiment): FilterUse[] {
  const along = (names: (string | undefined)[]) =>
    Object.fromEntries(
      names.flatMap((name) => (name === undefined || COMMON_FILTER_NAMES.includes(name) ? [] : [[name, 'any']])),
    );
  return [
    ...plots.map(({ title, part, where, x, series }) => ({
      where: `the plot "${title}"`,
      filter: { part, ...where, ...along([x, series]) },
    })),
    ...claims.flatMap(({ says, of, over }) =>
      [of, over].flatMap((filter) => (filter ? [{ where: `the claim "${says}"`, filter }] : [])),
    ),
    ...scalability.map((filter) => ({ where: 'scalability', filter })),
    ...cheapest.map(({ part }) => ({ where: 'cheapest', filter: { part } })),
    ...parts.flatMap(({ part, skip, quick }) => [
      ...skip.map((filter) => ({ where: `skip of ${part}`, filter: { part, ...filter } })),
      { where: `quick of ${part}`, filter: { part, ...along(Object.keys(quick?.dimensions ?? {})) } },
    ]),
  ];
}
