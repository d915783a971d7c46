import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { formatChangeInterval, formatDateTime, formatRate } from '../../core/formats.js';
import { confidence } from '../../judge/confidence.js';
import type { Change, TuneConclusion, TuneRecord } from './record.js';
import { adviceOf } from '../../recommend/advice.js';
import { configurationSettings, valuesDocument } from '../../recommend/values.js';
import { OWNER_ONLY, writeWhole } from '../../record/files.js';
import { renderTuneHtml } from './report/page.js';
import { loadsText } from './report/facts.js';
import { TuneFolder } from './folder.js';
import { MIN_RELEVANT_CHANGE } from '../trial/matters.js';
import { judgeTune } from './judge.js';
import { mergeOverrides } from './prepare.js';
import { trialValues } from './trial-values.js';
import { FILES } from '../../record/names.js';

const TUNED_FILE = 'values.tuned.yaml';

/**
 * Judges a recorded run of `tune`, complete or interrupted, and writes its verdict, its report and, where better values are
 * confirmed, the values. Reads only records.
 * @throws UsageError if the folder holds none
 */
export async function concludeTune(path: string): Promise<TuneConclusion> {
  const folder = new TuneFolder(path);
  const [record, trials] = [await folder.record(), await folder.trials()];
  const judged = judgeTune(record, trials);
  const first = await folder.firstRun();
  const file = join(path, TUNED_FILE);
  const whole: TuneConclusion = {
    ...judged,
    leftOut: record.leftOut,
    ...(first && { confidence: confidence(first.run, first.steps), advice: adviceOf(first.run) }),
    folder: path,
    report: join(path, FILES.report),
    ...(judged.outcome === 'confirmed' && { values: file }),
  };
  if (whole.values === undefined) await rm(file, { force: true });
  else await writeWhole(file, await renderTunedValues(folder, record, whole), OWNER_ONLY);
  await writeWhole(
    whole.report,
    await renderTuneHtml({
      record,
      trials,
      conclusion: whole,
      matters: MIN_RELEVANT_CHANGE,
      ...(first && { first: first.run }),
    }),
  );
  await writeWhole(join(path, FILES.verdict), `${JSON.stringify(whole, null, 2)}\n`);
  return whole;
}

/** What the file of another chart's deployment holds. */
const FOREIGN_NOTE =
  ' Not values of a chart: variables of n8n, and parts of its deployment, to set where the manifests come from.';

/** The user's values with the chosen changes, each with its effect as a comment. */
async function renderTunedValues(folder: TuneFolder, record: TuneRecord, conclusion: TuneConclusion): Promise<string> {
  const given = (parse(await readFile(folder.given, 'utf8')) ?? {}) as Record<string, unknown>;
  const chosen = record.changes.filter(({ id }) => conclusion.chosen.includes(id));
  const settings = chosen.flatMap((change) => {
    const source = `measured: ${effectText(change, conclusion)} (trials.ndjson)`;
    return configurationSettings(trialValues([{ ...change, env: undefined }], given), source);
  });
  const others = chosen.flatMap((change) =>
    configurationSettings(mergeOverrides([change]), `measured: ${effectText(change, conclusion)} (trials.ndjson)`),
  );
  const { extraEnv } = trialValues(chosen, given) as { extraEnv?: unknown[] };
  const { baseline, tuned } = conclusion.gain!;
  const heading = [
    ` Written by ${record.tool} on ${formatDateTime(record.startedAt)}: ${conclusion.answer}.`,
    ` Throughput of ${loadsText(record)}: ${formatRate(baseline)} before, ${formatRate(tuned)} with these values.`,
    ` The records are in ${folder.path}.`,
  ];
  if (record.plan.foreign) return valuesDocument({}, others, [...heading, FOREIGN_NOTE].join('\n'));
  return valuesDocument({ ...given, ...(extraEnv && { extraEnv }) }, settings, heading.join('\n'));
}

const effectText = (change: Change, { effects }: TuneConclusion): string => {
  const effect = effects.find((e) => e.change.id === change.id)?.throughput;
  return effect ? `${formatChangeInterval(effect)} of throughput in the screening` : 'no figure';
};
