import { readFile } from 'node:fs/promises';
import { execa } from 'execa';
import { UsageError, describeReadError } from '../core/errors.js';
import type { Foreign, Values } from '../model/plan.js';
import type { DeploymentPlace } from './adopt-databases.js';
import { adoptManifests, type Adopted } from './adopt.js';
import { readObjects } from './manifests/read.js';
import { helmArguments } from './values-flags.js';

const RELEASE = 'n8n';

/**
 * Reads the manifests of another chart, or renders it, and converts them to objects of this chart.
 * @throws UsageError that names what cannot be read, rendered or run
 */
export async function adoptForeign(
  helm: string,
  foreign: Foreign,
  values: Values,
  place: DeploymentPlace = 'machine',
): Promise<Adopted> {
  const text =
    foreign.chart === undefined
      ? await readManifests(foreign.manifests!)
      : await renderForeign(helm, foreign.chart, values);
  return adoptManifests(readObjects(text, foreign.chart ?? foreign.manifests!), foreign, place);
}

const readManifests = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--manifests ${file}: ${describeReadError(error)}; give a file that "helm template" wrote.`);
  });

async function renderForeign(helm: string, chart: string, values: Values): Promise<string> {
  // After `--`, helm does not read a chart that begins with a hyphen as an option. Some options run programs.
  const args = ['template', ...helmArguments(values), '--', RELEASE, chart];
  const result = await execa(helm, args, { reject: false, stdin: 'ignore' });
  if (!result.failed) return result.stdout;
  throw new UsageError(`--chart ${chart}: helm cannot render it: ${result.stderr.trim().split('\n').at(-1)}`);
}
