import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { stringify, parse } from 'yaml';
import { judgeRun, type RunVerdict } from './judge/run.js';
import { chartFolder } from './paths.js';
import type { Values } from './provision/process/render.js';
import { firstChange } from './recommend/first-change.js';
import { mergedValues, recommendedSettings, settingsFragment, valuesDocument } from './recommend/values.js';
import { readRun, Recorder, type RecordedRun } from './record/recorder.js';
import { renderHtml } from './report/html/page.js';
import type { Recommendation } from './report/html/summary.js';

const GIVEN = 'values.given.yaml';
const RECOMMENDED = 'values.recommended.yaml';
const REPORT = 'report.html';
const VERDICT = 'verdict.json';

/** Keeps the values that the user gave, as helm merges them, beside the record: a recommendation builds on them. */
export async function recordGivenValues(recorder: Recorder, helm: string, values: Values): Promise<void> {
  await recorder.whole(GIVEN, stringify(await mergedValues(helm, values)), 0o600);
}

/** What a run says, and the files that say it. */
export interface Conclusion {
  verdict: RunVerdict;
  recommendation?: Recommendation;
  report: string;
  /** Path of the recommended values, on PASS. */
  values?: string;
}

/**
 * Judges a recorded run and writes verdict, report and (on PASS) recommended values into its folder. Reads records alone,
 * so any run can be judged and reported again.
 * @throws InputError when the folder holds no run
 */
export async function conclude(folder: string): Promise<Conclusion> {
  const run = await readRun(folder);
  const verdict = judgeRun(run.run.plan, run.steps);
  const recorder = Recorder.of(folder);
  await recorder.whole(VERDICT, `${JSON.stringify(verdict, null, 2)}\n`);
  const values = verdict.verdict === 'PASS' ? await writeRecommended(run, verdict, recorder) : undefined;
  if (!values) await rm(join(folder, RECOMMENDED), { force: true });
  const recommendation = recommend(run, verdict);
  await recorder.whole(REPORT, await renderHtml(run, verdict, recommendation));
  return {
    verdict,
    report: join(folder, REPORT),
    ...(recommendation && { recommendation }),
    ...(values && { values }),
  };
}

async function writeRecommended(run: RecordedRun, verdict: RunVerdict, recorder: Recorder): Promise<string> {
  const given = parse(await readFile(join(run.folder, GIVEN), 'utf8').catch(() => '{}')) as Record<string, unknown>;
  const heading = ` Recommended by n8n-capacity from ${run.run.startedAt}: ${verdict.loads.map((l) => `${l.load} ${l.conclusion}`).join('; ')}.\n Provisional: measured on local processes. Each number says where it comes from.`;
  await recorder.whole(RECOMMENDED, valuesDocument(given, recommendedSettings(run, verdict), heading), 0o600);
  return join(run.folder, RECOMMENDED);
}

function recommend(run: RecordedRun, verdict: RunVerdict): Recommendation | undefined {
  if (verdict.verdict === 'PASS') {
    const text = `These are the values that held, with heap, concurrency and requests filled in; ${RECOMMENDED} beside this report holds them with the values you gave.`;
    return { title: 'Recommended values', text, values: settingsFragment(recommendedSettings(run, verdict)) };
  }
  const change = firstChange(run.run.deployment, verdict, run.samples);
  return (
    change && {
      title: change.value ? `First value to change: ${change.value}` : 'What to look at first',
      text: change.text,
    }
  );
}

/** Whether the chart accepts a values file; its own message when it does not. */
export async function chartAccepts(helm: string, file: string): Promise<string | undefined> {
  const result = await execa(helm, ['template', 'check', chartFolder, '-f', file], { reject: false, stdin: 'ignore' });
  return result.failed ? result.stderr.trim() : undefined;
}
