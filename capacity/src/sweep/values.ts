import { format } from '../core/formats.js';
import type { SweepCandidate, SweepRecord } from '../model/sweep.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  readGivenValues,
  configurationSettings,
  recommendedSettings,
  valuesDocument,
  type Setting,
} from '../recommend/values.js';
import { perMillion } from '../judge/cost.js';
import { judgeRun } from '../judge/run.js';
import { headingOf, type Recommended } from '../recommend/recommended.js';
import { readRun, type RecordedRun } from '../record/recorder.js';
import type { SweepFolder } from './folder.js';

/**
 * The values file of a configuration: what all share, what it sets, and what its run supports beside that.
 * @param record with the target for which it was chosen, and the prices at which
 * @param purpose the run that supports it
 */
export async function sweepValues(
  folder: SweepFolder,
  record: SweepRecord,
  { id, cost }: Pick<SweepCandidate, 'id' | 'cost'>,
  purpose: 'measure' | 'soak',
  recommended: Recommended,
): Promise<string> {
  const run = await readRun(folder.runOf(id, purpose));
  const { cpuHour, memoryGibHour, currency } = record.plan.prices;
  const rate = record.target!;
  const costs = `It costs ${cost.perHour.toFixed(3)} ${currency} an hour, ${perMillion(cost, rate).toFixed(2)} ${currency} a million executions at ${format(rate)}/s (a core ${cpuHour}, a GiB of memory ${memoryGibHour} ${currency} an hour)`;
  const settings = await sweepSettings(folder, id, run, rate);
  return valuesDocument((await readGivenValues(run.folder)) ?? {}, settings, headingOf(recommended, run, costs));
}

/**
 * What a configuration sets in the chart, and what its run supports beside that; without what all share.
 * @param rate executions per second for which it was chosen
 */
export async function sweepSettings(
  { path }: SweepFolder,
  id: string,
  run: RecordedRun,
  rate: number,
): Promise<Setting[]> {
  const configuration = await readFile(join(path, 'configurations', `${id}.yaml`), 'utf8');
  const source = `measured: the cheapest that sustained ${format(rate)}/s (outcomes.ndjson of the sweep, ${id})`;
  return [
    ...configurationSettings(parse(configuration) as Record<string, unknown>, source),
    ...recommendedSettings(run, judgeRun(run)),
  ];
}
