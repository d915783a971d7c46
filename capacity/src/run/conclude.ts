import { sentence } from '../core/formats.js';
import { OWNER_ONLY } from '../record/files.js';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { exposureOf, measuredVersion } from '../chart/exposure-text.js';
import { chartFolder } from '../core/paths.js';
import { helmYaml } from '../core/yaml.js';
import { confidence } from '../judge/confidence.js';
import { judgeRun } from '../judge/run.js';
import type { Values } from '../model/plan.js';
import type { Recommendation, RunConclusion, RunVerdict } from '../model/verdict.js';
import { answersOf } from '../recommend/answer.js';
import { firstChange } from '../recommend/first-change.js';
import { changeText } from '../recommend/variables.js';
import { confirmationOf, HELD, heldFor, heldValues, isBasis, type HeldValues } from '../recommend/held.js';
import { GIVEN, settingsFragment } from '../recommend/values.js';
import { mergedValues } from '../chart/merged-values.js';
import { readRun, Recorder, type RecordedRun } from '../record/recorder.js';
import { renderHtml } from '../report/html/page.js';
import { FILES } from '../record/names.js';

/** Keeps the values that the user gave, as helm merges them, beside the record: values that held build on them. */
export async function recordGivenValues(recorder: Recorder, helm: string, values: Values): Promise<void> {
  await recorder.whole(GIVEN, helmYaml(await mergedValues(helm, values)), OWNER_ONLY);
}

/**
 * Judges a recorded run and writes its verdict, report and (where a rate held) the values that held into its folder. Reads records
 * alone, so any run can be judged and reported again.
 * @throws UsageError when the folder holds no run
 */
export async function conclude(folder: string): Promise<RunConclusion> {
  const run = await readRun(folder);
  const verdict = judgeRun(run);
  const recorder = Recorder.of(folder);
  await recorder.whole(FILES.verdict, `${JSON.stringify(verdict, null, 2)}\n`);
  const answers = answersOf(run, verdict);
  const exposure = exposureOf(run.run);
  const base = {
    n8n: measuredVersion(run.run),
    ...(exposure && { exposure }),
    ...{ verdict, answers, confidence: confidence(run.run, run.steps), folder },
  };
  const held = await heldValues(run, verdict);
  const values = join(folder, HELD);
  if (held?.text === undefined) await rm(values, { force: true });
  else await recorder.whole(HELD, held.text, OWNER_ONLY);
  const recommendation = adviceOn(run, verdict, held);
  await recorder.whole(FILES.report, await renderHtml(run, verdict, recommendation));
  return {
    ...base,
    report: join(folder, FILES.report),
    ...(recommendation && { recommendation }),
    ...(held?.text !== undefined && { values }),
  };
}

function adviceOn(run: RecordedRun, verdict: RunVerdict, held: HeldValues | undefined): Recommendation | undefined {
  if (held?.refused !== undefined) return { title: 'No values are given', text: sentence(held.refused) };
  if (held) {
    const { confirm } = confirmationOf(run);
    const next = confirm === undefined ? 'validate them with a --target, and confirm that run' : `run "${confirm}"`;
    const text = `These values held for ${heldFor(verdict)}, with heap, concurrency and requests filled in; ${HELD} beside this report holds them with the values you gave. They are not confirmed: ${next}.`;
    return { title: 'Values that held', text, values: settingsFragment(held.settings) };
  }
  if (!isBasis(run, verdict)) return undefined;
  const change = firstChange(run.run.deployment, verdict, run.samples);
  return (
    change && {
      title: change.value ? `First value to change: ${change.value}` : 'What to look at first',
      text: changeText(change),
    }
  );
}

/** Undefined when the chart accepts a values file, else its own message. */
export async function chartAccepts(helm: string, file: string): Promise<string | undefined> {
  const result = await execa(helm, ['template', 'check', chartFolder, '-f', file], { reject: false, stdin: 'ignore' });
  return result.failed ? result.stderr.trim() : undefined;
}
