import { UsageError } from '../core/errors.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptsFolder } from '../core/paths.js';
import { didYouMean } from '../core/did-you-mean.js';

/** A number of seconds: fixed, or the value of a query parameter times a scale (milliseconds: 0.001). */
type Seconds = number | { query: string; scale?: number };

/** An entry of `loadtests/workloads.json`, the catalogue that the k6 scripts read too. */
export interface Workload {
  name: string;
  description: string;
  path: string;
  serviceTimeSeconds: Seconds;
  executionSeconds: Seconds;
  /** Workflows that this one starts, by the names of their files. */
  subWorkflows?: string[];
  query: Record<string, { env: string; default: number; minimum: number; maximum: number; integer?: boolean }>;
}

/** Every workload by name. */
export function catalogue(): Map<string, Workload> {
  const entries = JSON.parse(readFileSync(join(scriptsFolder, 'workloads.json'), 'utf8')) as Record<
    string,
    Omit<Workload, 'name'>
  >;
  return new Map(Object.entries(entries).map(([name, entry]) => [name, { name, ...entry }]));
}

/** The workload of that name. Throws UsageError that names the nearest one and all others. */
export function findWorkload(name: string, known = catalogue()): Workload {
  const found = known.get(name);
  if (found) return found;
  const names = [...known.keys()];
  const near = didYouMean(name, names);
  const related = relatedTo(name, known);
  const hint = near === '.' && related.length > 0 ? `; did you mean ${related.join(' or ')}?` : near;
  throw new UsageError(`workload "${name}" does not exist${hint} Known: ${names.join(', ')}.`);
}

/** Shortest part of a word that is looked for. */
const LEAST_LETTERS = 4;
/** Most workloads that are suggested. */
const MOST_RELATED = 3;

/** Workloads whose name or description has a word of the given name, such as `memory`, quoted. */
function relatedTo(name: string, known: Map<string, Workload>): string[] {
  const words = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length >= LEAST_LETTERS);
  const holds = (text: string) => words.some((word) => text.toLowerCase().includes(word));
  const byName = [...known.values()].filter((workload) => holds(workload.name));
  const byDescription = [...known.values()].filter(({ description }) => holds(description));
  return (byName.length > 0 ? byName : byDescription).slice(0, MOST_RELATED).map((workload) => `"${workload.name}"`);
}

/** The value of a workload's time with its query parameters as `env` sets them, in seconds. */
export function timeInSeconds(time: Seconds, workload: Workload, env: Record<string, string | undefined>): number {
  if (typeof time === 'number') return time;
  const parameter = workload.query[time.query]!;
  return Number(env[parameter.env] ?? parameter.default) * (time.scale ?? 1);
}
