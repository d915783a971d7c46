import { readFile } from 'node:fs/promises';
import { execa } from 'execa';
import { UsageError, whyUnread } from '../core/errors.js';
import type { Foreign, Values } from '../model/plan.js';
import type { Place } from './adopt-databases.js';
import { adopt, type Adopted } from './adopt.js';
import { objectsIn } from './manifests/read.js';
import { helmArguments } from './values-flags.js';

const RELEASE = 'n8n';

/**
 * Reads the manifests of another chart, or renders it, and converts them to objects of this chart.
 * @throws UsageError that names what cannot be read, rendered or run
 */
export async function foreignObjects(
  helm: string,
  foreign: Foreign,
  values: Values,
  place: Place = 'machine',
): Promise<Adopted> {
  const text =
    foreign.chart === undefined ? await readManifests(foreign.manifests!) : await rendered(helm, foreign.chart, values);
  return adopt(objectsIn(text, foreign.chart ?? foreign.manifests!), foreign, place);
}

const readManifests = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--manifests ${file}: ${whyUnread(error)}; give a file that "helm template" wrote.`);
  });

async function rendered(helm: string, chart: string, values: Values): Promise<string> {
  // After `--`, helm does not read a chart that begins with a hyphen as an option. Some options run programs.
  const args = ['template', ...helmArguments(values), '--', RELEASE, chart];
  const result = await execa(helm, args, { reject: false, stdin: 'ignore' });
  if (!result.failed) return result.stdout;
  throw new UsageError(`--chart ${chart}: helm cannot render it: ${result.stderr.trim().split('\n').at(-1)}`);
}
