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
  throw new UsageError(`workload "${name}" does not exist${didYouMean(name, names)} Known: ${names.join(', ')}.`);
}

/** The value of a workload's time with its query parameters as `env` sets them, in seconds. */
export function timeInSeconds(time: Seconds, workload: Workload, env: Record<string, string | undefined>): number {
  if (typeof time === 'number') return time;
  const parameter = workload.query[time.query]!;
  return Number(env[parameter.env] ?? parameter.default) * (time.scale ?? 1);
}
