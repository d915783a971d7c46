import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mergedValues } from '../chart/merged-values.js';
import { toHelmYaml } from '../core/yaml.js';
import type { Values } from '../model/plan.js';
import type { RunConclusion } from '../model/verdict.js';
import { concludeRun } from '../recommend/conclude-run.js';
import { HELD } from '../recommend/held.js';
import { GIVEN, readGivenValues } from '../recommend/values.js';
import { OWNER_ONLY } from '../record/files.js';
import { FILES } from '../record/names.js';
import { readRun, Recorder } from '../record/recorder.js';
import { renderHtml } from '../report/html/page.js';

/** Keeps the values that the user gave, as helm merges them, beside the record: values that held build on them. */
export async function recordGivenValues(recorder: Recorder, helm: string, values: Values): Promise<void> {
  await recorder.whole(GIVEN, toHelmYaml(await mergedValues(helm, values)), OWNER_ONLY);
}

/**
 * Judges a recorded run and writes its verdict, report and (where a rate held) the values that held into its folder. Reads records
 * alone, so any run can be judged and reported again.
 * @throws UsageError when the folder holds no run
 */
export async function conclude(folder: string): Promise<RunConclusion> {
  const run = await readRun(folder);
  const { values, ...concluded } = concludeRun(run, (await readGivenValues(folder)) ?? {});
  const { verdict, recommendation } = concluded;
  const page = await renderHtml(run, verdict, recommendation);
  const recorder = Recorder.of(folder);
  await recorder.whole(FILES.verdict, `${JSON.stringify(verdict, null, 2)}\n`);
  if (values === undefined) await rm(join(folder, HELD), { force: true });
  else await recorder.whole(HELD, values, OWNER_ONLY);
  await recorder.whole(FILES.report, page);
  return {
    ...concluded,
    folder,
    report: join(folder, FILES.report),
    ...(values !== undefined && { values: join(folder, HELD) }),
  };
}
