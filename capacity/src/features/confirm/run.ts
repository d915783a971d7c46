import { sum } from 'simple-statistics';
import { UsageError } from '../../core/errors.js';
import { formatAboutSeconds, formatHours } from '../../core/formats.js';
import type { Progress } from '../../core/progress.js';
import { judgeRun } from '../../judge/run.js';
import { withWebhookPath } from '../../plan/custom-workflow/recorded-path.js';
import type { Generator } from '../../model/generator.js';
import type { ConfirmRecord } from './record.js';
import type { Where } from '../../provision/choose.js';
import { heldValues } from '../../recommend/held.js';
import { requireGiven } from '../../recommend/from-run.js';
import { readGivenValues, valuesDocument } from '../../recommend/values.js';
import type { RecordedRun } from '../../record/recorder.js';
import { expectedSeconds } from '../../run/expected-time.js';
import { generatorHere } from '../../run/generator-here.js';
import { carryOut } from '../../run/run.js';
import { concludeConfirm } from './write.js';
import { ConfirmFolder } from './folder.js';
import { planRun, listRuns, leastSecondsUnderLoad, type ConfirmRun } from './plan.js';

/**
 * Confirms the values of a run: drives fresh deployments of them, then a soak, and records each as a run of its own. Runs that
 * the folder holds are not repeated. Leaves nothing running.
 * @param run whose values are confirmed
 * @throws UsageError before anything starts if it cannot run, NotReady if n8n does not come up, Interrupted if the user ended it
 */
export async function confirm(
  run: RecordedRun,
  record: ConfirmRecord,
  path: string,
  where: Where,
  progress: Progress,
): Promise<void> {
  const folder = new ConfirmFolder(path);
  const values = await readValuesToConfirm(run);
  const whole = { ...record, plan: { ...record.plan, values: { files: [folder.values], set: [] } } };
  await folder.begin(whole, values);
  const open = listRuns(whole).filter((each) => !folder.isDone(each));
  if (open.length === 0) return;
  const generator = await generatorHere(where, progress);
  const length = formatHours(leastSecondsUnderLoad(whole) / 3600);
  progress.line(`${record.deployments} fresh deployments and a soak for each load: ${length} under load at least`);
  if (record.plan.seedExecutions === undefined)
    progress.line('the databases are empty: a full one, as in production, is slower');
  for (const [i, each] of open.entries()) {
    // A soak takes long and cannot change this answer.
    if (each.deployment === undefined && (await concludeConfirm(path)).verdict === 'FAIL') return;
    await runOne({ folder, record: whole, of: run, where, progress, open: open.slice(i), ...generator }, each);
  }
}

interface Context {
  folder: ConfirmFolder;
  record: ConfirmRecord;
  of: RecordedRun;
  /** The runs that are not done yet; the current one is first. */
  open: ConfirmRun[];
  where: Where;
  generator?: Generator;
  progress: Progress;
}

async function runOne(
  { folder, record, of, open, where, generator, progress }: Context,
  each: ConfirmRun,
): Promise<void> {
  const { load, deployment } = each;
  const plan = withWebhookPath(planRun(record, each));
  await folder.clear(each);
  const what = deployment === undefined ? 'soak' : `deployment ${deployment} of ${record.deployments}`;
  const left = formatAboutSeconds(sum(open.map((run) => expectedSeconds(planRun(record, run)))));
  progress.line(`${record.rates.length > 1 ? `${what}: ${load}` : what}, ${left} left`);
  const prepared = await where.provisioner.prepare(plan, progress);
  const [here, there] = [prepared.versions.n8n, of.run.versions.n8n];
  if (here !== there)
    throw new UsageError(
      `${of.folder}: is of n8n ${there}, but the chart now deploys ${here}; run validate again, then confirm its record.`,
    );
  await carryOut({
    tool: record.tool,
    plan,
    prepared,
    folder: folder.runOf(each),
    progress,
    ...(generator && { generator }),
  });
}

/** Returns the values that held, or the given values if none held. Throws UsageError if its memory does not fit its limits. */
export async function readValuesToConfirm(run: RecordedRun): Promise<string> {
  await requireGiven(run);
  const given = (await readGivenValues(run.folder)) ?? {};
  const held = heldValues(run, judgeRun(run), given);
  if (held?.refused !== undefined) throw new UsageError(`${run.folder}: supports no values: ${held.refused}.`);
  return held?.text ?? valuesDocument(given, [], '');
}
