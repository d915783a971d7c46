import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DimensionValue } from 'n8n-capacity';
import { experimentsFolder } from '../paths.js';
import type { ExperimentPart } from './schema.js';

/** The chart of this project, in the dimension `chart`. */
export const OURS = 'n8n-tuned';
/** Names the folder with the manifests that other charts rendered, a file for each chart: they are not part of this project. */
export const MANIFESTS = 'N8N_TUNED_MANIFESTS';

/** Manifests that a cell deploys. */
export interface Manifests {
  file: string;
  /** Of the content: two renders of a chart with another random secret are not the same. */
  checksum: string;
}

/** The manifests of a cell; undefined where it deploys this chart, or the file is not given. */
export function manifestsOf(
  { on }: Pick<ExperimentPart, 'on'>,
  { chart = OURS }: Record<string, DimensionValue>,
): Manifests | undefined {
  if (on === 'control' || chart === OURS) return undefined;
  const name = `${String(chart)}.yaml`;
  const given = process.env[MANIFESTS];
  const file = [join(experimentsFolder, 'manifests', name), ...(given === undefined ? [] : [join(given, name)])].find(
    (path) => existsSync(path),
  );
  return file === undefined ? undefined : { file, checksum: checksumOf(file) };
}

const checksumOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16);
