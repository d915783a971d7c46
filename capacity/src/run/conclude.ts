import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { chartFolder } from '../core/paths.js';
import { confidence } from '../judge/confidence.js';
import { judgeRun } from '../judge/run.js';
import type { Values } from '../model/plan.js';
import { isGood, type Recommendation, type RunConclusion, type RunVerdict } from '../model/verdict.js';
import { answersOf } from '../recommend/answer.js';
import { firstChange } from '../recommend/first-change.js';
import {
  GIVEN,
  mergedValues,
  readGivenValues,
  recommendedSettings,
  settingsFragment,
  valuesDocument,
} from '../recommend/values.js';
import { readRun, Recorder, type RecordedRun } from '../record/recorder.js';
import { renderHtml } from '../report/html/page.js';

const RECOMMENDED = 'values.recommended.yaml';
const REPORT = 'report.html';
const VERDICT = 'verdict.json';

/** Keeps the values that the user gave, as helm merges them, beside the record: a recommendation builds on them. */
export async function recordGivenValues(recorder: Recorder, helm: string, values: Values): Promise<void> {
  await recorder.whole(GIVEN, stringify(await mergedValues(helm, values)), 0o600);
}

/**
 * Judges a recorded run and writes its verdict, report and (on PASS) recommended values into its folder. Reads records
 * alone, so any run can be judged and reported again.
 * @throws UsageError when the folder holds no run
 */
export async function conclude(folder: string): Promise<RunConclusion> {
  const run = await readRun(folder);
  const verdict = judgeRun(run);
  const recorder = Recorder.of(folder);
  await recorder.whole(VERDICT, `${JSON.stringify(verdict, null, 2)}\n`);
  const answers = answersOf(run, verdict);
  const base = { verdict, answers, confidence: confidence(run.run, run.steps), folder };
  const values = await recommendedValues(run, verdict, recorder);
  const recommendation = isBasis(run, verdict) ? await recommend(run, verdict) : undefined;
  await recorder.whole(REPORT, await renderHtml(run, verdict, recommendation));
  return {
    ...base,
    report: join(folder, REPORT),
    ...(recommendation && { recommendation }),
    ...(values !== undefined && { values }),
  };
}

/** Whether values can be built on the run: those of an existing n8n are unknown; a burst and a payload limit measure no capacity. */
const isBasis = ({ run: { deployment } }: RecordedRun, { burst, payloadLimits }: RunVerdict): boolean =>
  deployment.provisioner !== 'existing' && !burst && !payloadLimits;

async function recommendedValues(
  run: RecordedRun,
  verdict: RunVerdict,
  recorder: Recorder,
): Promise<string | undefined> {
  const file = join(run.folder, RECOMMENDED);
  if (!isGood(verdict.verdict) || !isBasis(run, verdict)) {
    await rm(file, { force: true });
    return undefined;
  }
  const given = (await readGivenValues(run.folder)) ?? {};
  const { settings } = recommendedSettings(run, verdict, given);
  if (!settings) {
    await rm(file, { force: true });
    return undefined;
  }
  const { word, text } = confidence(run.run, run.steps);
  const conclusions = verdict.loads.map((l) => `${l.load} ${l.conclusion}`).join('; ');
  const heading = ` Values that held, by n8n-capacity from ${run.run.startedAt}: ${conclusions}.\n This is ${word}: ${text}. Each number names its source.`;
  await recorder.whole(RECOMMENDED, valuesDocument(given, settings, heading), 0o600);
  return file;
}

async function recommend(run: RecordedRun, verdict: RunVerdict): Promise<Recommendation | undefined> {
  const change = firstChange(run.run.deployment, verdict, run.samples);
  if (isGood(verdict.verdict)) {
    const { settings, refused } = recommendedSettings(run, verdict, (await readGivenValues(run.folder)) ?? {});
    if (!settings) return { title: 'No values are recommended', text: sentence(refused) };
    const text = `These are the values that held, with heap, concurrency and requests filled in; ${RECOMMENDED} beside this report holds them with the values you gave.`;
    return { title: 'Recommended values', text, values: settingsFragment(settings) };
  }
  return (
    change && {
      title: change.value ? `First value to change: ${change.value}` : 'What to look at first',
      text: change.text,
    }
  );
}

const sentence = (clause: string): string => `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;

/** Undefined when the chart accepts a values file, else its own message. */
export async function chartAccepts(helm: string, file: string): Promise<string | undefined> {
  const result = await execa(helm, ['template', 'check', chartFolder, '-f', file], { reject: false, stdin: 'ignore' });
  return result.failed ? result.stderr.trim() : undefined;
}
