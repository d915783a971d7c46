import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chartFolder } from '../core/paths.js';

/** The version in the chart's Chart.yaml. */
export async function chartVersion(): Promise<string> {
  return (parse(await readFile(join(chartFolder, 'Chart.yaml'), 'utf8')) as { version: string }).version;
}
