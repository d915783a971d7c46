import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { stringify, parse } from 'yaml';
import { judgeBurst } from '../judge/profiles/burst.js';
import { confidence, type Confidence } from '../judge/confidence.js';
import { judgeRun, type RunVerdict } from '../judge/run.js';
import { judgeSoak, withDrift } from '../judge/profiles/soak.js';
import { chartFolder } from '../core/paths.js';
import type { Values } from '../chart/render.js';
import { firstChange } from '../recommend/first-change.js';
import { GIVEN, mergedValues, recommendedSettings, settingsFragment, valuesDocument } from '../recommend/values.js';
import { readRun, Recorder, type RecordedRun } from '../record/recorder.js';
import { renderHtml } from '../report/html/page.js';
import type { Recommendation } from '../report/html/summary.js';

const RECOMMENDED = 'values.recommended.yaml';
const REPORT = 'report.html';
const VERDICT = 'verdict.json';

/** Keeps the values that the user gave, as helm merges them, beside the record: a recommendation builds on them. */
export async function recordGivenValues(recorder: Recorder, helm: string, values: Values): Promise<void> {
  await recorder.whole(GIVEN, stringify(await mergedValues(helm, values)), 0o600);
}

/** The values that were given to a run; undefined where its folder does not hold them. */
export async function readGivenValues(folder: string): Promise<Record<string, unknown> | undefined> {
  const text = await readFile(join(folder, GIVEN), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : ((parse(text) ?? {}) as Record<string, unknown>);
}

/** What a run says, and the files that say it. */
export interface Conclusion {
  verdict: RunVerdict;
  confidence: Confidence;
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
  const verdict = verdictOf(run);
  const recorder = Recorder.of(folder);
  await recorder.whole(VERDICT, `${JSON.stringify(verdict, null, 2)}\n`);
  const { provisioner } = run.run.deployment;
  // Of an n8n that was there already, nothing is known that values could be built on; a burst measures no capacity.
  const isKnown = provisioner !== 'existing' && !verdict.burst;
  const values = verdict.verdict === 'PASS' && isKnown ? await writeRecommended(run, verdict, recorder) : undefined;
  if (!values) await rm(join(folder, RECOMMENDED), { force: true });
  const recommendation = isKnown ? recommend(run, verdict) : undefined;
  await recorder.whole(REPORT, await renderHtml(run, verdict, recommendation));
  return {
    verdict,
    confidence: confidence(run.run, run.steps),
    report: join(folder, REPORT),
    ...(recommendation && { recommendation }),
    ...(values && { values }),
  };
}

/** Judges a run from its records alone; of a soak, its drift too. A burst is judged by what became of its spike. */
export function verdictOf(run: RecordedRun): RunVerdict {
  const { plan, deployment } = run.run;
  if (plan.rates.kind === 'burst') return judgeBurst({ plan, deployment, steps: run.steps, samples: run.samples });
  const verdict = judgeRun(plan, run.steps);
  return plan.rates.kind === 'soak' ? withDrift(verdict, judgeSoak(run)) : verdict;
}

async function writeRecommended(run: RecordedRun, verdict: RunVerdict, recorder: Recorder): Promise<string> {
  const given = (await readGivenValues(run.folder)) ?? {};
  const sure = confidence(run.run, run.steps);
  const heading = ` Recommended by n8n-capacity from ${run.run.startedAt}: ${verdict.loads.map((l) => `${l.load} ${l.conclusion}`).join('; ')}.\n This is ${sure.word}: ${sure.text}. Each number says where it comes from.`;
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
