import type { Values } from '../model/plan.js';
import { ChartRefused } from '../core/errors.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse, parseAllDocuments } from 'yaml';
import { chartFolder } from '../core/paths.js';
import type { KubernetesObject } from './objects.js';

const RELEASE = 'n8n-tuned';

/**
 * What the chart makes of the values. `added` are the values that a measurement needs beside the user's (metrics).
 * Throws ChartRefused when it refuses them.
 */
export async function renderChart(helm: string, values: Values, added: string[] = []): Promise<KubernetesObject[]> {
  const args = ['template', RELEASE, chartFolder];
  for (const file of values.files) args.push('-f', file);
  for (const assignment of [...values.set, ...added]) args.push('--set', assignment);
  const result = await execa(helm, args, { reject: false, stdin: 'ignore' });
  if (result.failed) throw new ChartRefused(refusal(result.stderr));
  return parseAllDocuments(result.stdout)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}

/** Helm wraps a template's own message in where it was raised, which helps nobody who only set a value. */
function refusal(stderr: string): string {
  return stderr
    .replace(/^level=(WARN|INFO).*\n?/gm, '')
    .replace(/^Error: /, '')
    .replace(/execution error at \([^)]*\): /g, '')
    .replace(/\n*Use --debug flag to render out invalid YAML\n*/, '')
    .trim();
}

/** The version in the chart's Chart.yaml. */
export async function chartVersion(): Promise<string> {
  return (parse(await readFile(join(chartFolder, 'Chart.yaml'), 'utf8')) as { version: string }).version;
}
