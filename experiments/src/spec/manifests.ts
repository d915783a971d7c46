import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DimensionValue } from 'n8n-capacity';
import { experimentsFolder } from '../paths.js';
import type { ExperimentPart } from './schema.js';

/** Name of this project's chart in the dimension `chart`. */
export const OWN_CHART = 'n8n-tuned';
/** Environment variable with the folder of the rendered manifests of other charts, one file per chart. They are not in this repository. */
export const MANIFESTS_VARIABLE = 'N8N_TUNED_MANIFESTS';

/** The manifests that a cell deploys. */
export interface Manifests {
  file: string;
  /** Hash of the content. Two renders of a chart differ if they contain different random secrets. */
  checksum: string;
}

/** The manifests of a cell; undefined if it deploys this chart, or if the file is not given. */
export function findManifests(
  { on }: Pick<ExperimentPart, 'on'>,
  { chart = OWN_CHART }: Record<string, DimensionValue>,
): Manifests | undefined {
  if (on === 'control' || chart === OWN_CHART) return undefined;
  const name = `${String(chart)}.yaml`;
  const given = process.env[MANIFESTS_VARIABLE];
  const file = [join(experimentsFolder, 'manifests', name), ...(given === undefined ? [] : [join(given, name)])].find(
    (path) => existsSync(path),
  );
  return file === undefined ? undefined : { file, checksum: fileChecksum(file) };
}

const fileChecksum = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16);
