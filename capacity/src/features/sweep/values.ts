import { formatNumber } from '../../core/formats.js';
import type { SweepCandidate, SweepRecord } from './record.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  readGivenValues,
  configurationSettings,
  recommendedSettings,
  valuesDocument,
  type Supported,
} from '../../recommend/values.js';
import { costPerMillion } from '../../judge/cost.js';
import { judgeRun } from '../../judge/run.js';
import { composeHeading, type HeldClaim } from '../../recommend/held.js';
import { readRun, type RecordedRun } from '../../record/recorder.js';
import type { SweepFolder } from './folder.js';

/** A values file, or why there is none. */
type SweepValues = { text: string; refused?: never } | { text?: never; refused: string };

/**
 * The values file of a configuration: the shared values, its own settings, and those that its run supports.
 * @param record with the target and the prices for which it was chosen
 * @param purpose the run that supports the values
 */
export async function sweepValues(
  folder: SweepFolder,
  record: SweepRecord,
  { id, cost }: Pick<SweepCandidate, 'id' | 'cost'>,
  purpose: 'measure' | 'hold',
  claim: HeldClaim,
): Promise<SweepValues> {
  const run = await readRun(folder.runOf(id, purpose));
  const { cpuHour, memoryGibHour, currency } = record.plan.prices;
  const rate = record.target!;
  const costs = `It costs ${cost.perHour.toFixed(3)} ${currency} per hour, or ${costPerMillion(cost, rate).toFixed(2)} ${currency} per million executions at ${formatNumber(rate)}/s (prices per hour: ${cpuHour} ${currency} per core, ${memoryGibHour} ${currency} per GiB)`;
  const given = (await readGivenValues(run.folder)) ?? {};
  const { settings, refused } = await sweepSettings(folder, id, run, rate);
  if (!settings) return { refused };
  return { text: valuesDocument(given, settings, composeHeading(claim, run, judgeRun(run), costs)) };
}

/**
 * The settings of a configuration and those that its run supports, without the shared values.
 * @param rate executions per second for which it was chosen
 */
export async function sweepSettings(
  { path }: SweepFolder,
  id: string,
  run: RecordedRun,
  rate: number,
): Promise<Supported> {
  const configuration = await readFile(join(path, 'configurations', `${id}.yaml`), 'utf8');
  const source = `measured: the cheapest that sustained ${formatNumber(rate)}/s (outcomes.ndjson of the sweep, ${id})`;
  const supported = recommendedSettings(run, judgeRun(run), (await readGivenValues(run.folder)) ?? {});
  if (!supported.settings) return supported;
  const own = configurationSettings(parse(configuration) as Record<string, unknown>, source);
  return { settings: [...own, ...supported.settings] };
}
