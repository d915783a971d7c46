import { chartRefusal } from '../chart/refusal.js';
import { formatAboutSeconds } from '../core/formats.js';
import type { Progress } from '../core/progress.js';
import type { Prepared } from '../model/deployment.js';
import type { Generator } from '../model/generator.js';
import type { Plan } from '../model/plan.js';
import type { Noise } from '../model/run.js';
import type { RunConclusion } from '../model/verdict.js';
import { describeRates, toolOf } from '../plan/kinds.js';
import { withinLoadTarget } from '../plan/payload-limit.js';
import { choosePlace, type Where } from '../provision/choose.js';
import { Recorder } from '../record/recorder.js';
import { ensureHelm } from '../tools/programs.js';
import { conclude, recordGivenValues } from './conclude.js';
import { expectedSeconds } from './expected-time.js';
import { installedGenerator, measuredGenerator } from './generator-here.js';
import { measure } from './measure.js';
import { notesOn } from './notes.js';

/** What a run needs once it is prepared. */
export interface RunRequest {
  /** The command, for the record. */
  tool: string;
  plan: Plan;
  prepared: Prepared;
  /** The generator, where the deployment does not bring its own. */
  generator?: Generator;
  /** Folder of the record; it must not hold a run, unless `resume` is set. */
  folder: string;
  /** Continue a run in the folder that was interrupted. */
  resume?: true;
  noise?: Noise;
  progress: Progress;
}

/**
 * Prepares a plan's configuration, records and measures it, and concludes. Nothing is left running, whatever happens; the
 * record stays.
 * @throws UsageError or ChartRefused before anything is started, NotReady when the deployment does not come up,
 *   Interrupted when the user ended the run
 */
export async function run(
  plan: Plan,
  folder: string,
  progress: Progress,
  where: Where = choosePlace({}),
): Promise<RunConclusion> {
  const installed = await installedGenerator(where, progress);
  const prepared = await where.provisioner.prepare(plan, progress);
  const fitting = withinLoadTarget(plan, prepared.record);
  const generator = await measuredGenerator(installed, progress);
  const tool = `n8n-capacity ${toolOf(plan.rates)}`;
  progress.line(`${describeRates(plan.rates)}: ${formatAboutSeconds(expectedSeconds(plan))} in all`);
  for (const note of notesOn(plan, prepared.record)) progress.line(`note: ${note}`);
  return carryOut({ tool, plan: fitting, prepared, folder, progress, ...generator });
}

/** Records and measures a prepared run, and concludes. */
export async function carryOut(request: RunRequest): Promise<RunConclusion> {
  await record(request);
  const conclusion = await conclude(request.folder);
  const refused = conclusion.values && (await chartRefusal(await ensureHelm(request.progress), conclusion.values));
  if (refused) throw new Error(`the chart refuses the values that held in ${conclusion.values}: ${refused}`);
  return conclusion;
}

/**
 * Measures a prepared run into its folder.
 * @returns why the run ended early, where the deployment did not recover from a step
 */
export async function record(request: RunRequest): Promise<{ endedEarly?: string }> {
  const { folder, plan, progress } = request;
  const before = request.resume && (await Recorder.resume(folder));
  const recorder = before?.recorder ?? (await Recorder.create(folder));
  if (!before) await recordGivenValues(recorder, await ensureHelm(progress), plan.values);
  return measure({ ...request, recorder, recorded: before?.steps ?? [] });
}
