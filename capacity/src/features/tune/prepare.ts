import { chartDefaults, withDefaults } from '../../plan/values.js';
import { adoptForeign } from '../../chart/foreign.js';
import { workerConcurrency } from '../../chart/describe.js';
import { listLocalPods, type Pod } from '../../chart/pods.js';
import { ChartRefused, UsageError } from '../../core/errors.js';
import type { Progress } from '../../core/progress.js';
import type { Overrides, Plan } from '../../model/plan.js';
import type { Change, LeftOut, Setting, Trade, TuneRecord } from './record.js';
import { redactedPlan } from '../../plan/redact.js';
import type { Where } from '../../provision/choose.js';
import { ensureHelm } from '../../tools/programs.js';
import { leastBudget, MAX_CONFIRMATION_TRIALS, mostChanges, trialSeconds } from './budget.js';
import { requireScreeningTrials } from './plan.js';
import { selectChanges, type Situation } from './changes.js';
import { firstLine } from '../trial/measure.js';
import { TuneFolder } from './folder.js';
import { planScreening, withoutConflicts } from './schedule.js';
import { trialValues } from './trial-values.js';

/** A request to `tune`. */
export interface TuneRequest {
  /** The command, for the record. */
  tool: string;
  /** Clients in a closed loop; its values are those of the baseline. */
  plan: Plan;
  /** About how long it may take, in seconds. */
  budgetSeconds: number;
  accept: Trade[];
  /** The settings to try, as many as the budget allows. */
  settings: Setting[];
  /** Whether the user named them: then a run without one of them is refused. */
  named: boolean;
}

/** Everything that deploying a trial needs. */
export interface Deploying {
  /** Its values are one file. */
  plan: Plan;
  /** The user's values, as helm merges them. */
  given: Record<string, unknown>;
  folder: TuneFolder;
  where: Where;
  progress: Progress;
}

/** Of the design and of the order of the trials: the same for all, so that two runs can be compared. */
const SEED = 1;

/**
 * The changes to try: those that fit the deployment, that the chart accepts and that the budget allows. If the folder holds a
 * begun record, those of the record.
 * @throws UsageError if none is left, or one that the user named, or the budget is too short for this deployment
 */
export async function prepareTuneRecord(request: TuneRequest, deploying: Deploying): Promise<TuneRecord> {
  const { tool, plan, budgetSeconds, accept, settings, named } = request;
  const { folder, where, progress } = deploying;
  const { versions, record } = await where.provisioner.prepare(deploying.plan, progress);
  const base = { n8n: versions.n8n, mode: modeOf(record), database: record.database, accept };
  const before = await folder.recordIfAny();
  const perTrial = trialSeconds(plan, base.mode);
  const rows = before?.rows.length ?? requireScreeningTrials(budgetSeconds, perTrial);
  const { changes, leftOut } =
    before ??
    (await selectAcceptedChanges(
      selectChanges(settings, { ...base, ...(await readSituation(deploying)) }),
      { rows, perTrial },
      deploying,
    ));
  const untried = settings.filter(({ id }) => changes.every(({ setting }) => setting !== id));
  if (changes.length === 0 || (named && !before && untried.length > 0))
    throw new UsageError(untriedText(settings, untried, leftOut));
  return {
    ...base,
    tool,
    startedAt: new Date().toISOString(),
    provisioner: where.name,
    plan: redactedPlan(plan),
    seed: SEED,
    budgetSeconds,
    settings: settings.map(({ id }) => id),
    changes,
    ...(before
      ? { rows: before.rows, conflicts: before.conflicts }
      : await removeConflicts(planScreening(changes, rows, SEED), deploying)),
    confirmations: before?.confirmations ?? MAX_CONFIRMATION_TRIALS,
    leftOut,
  };
}

function untriedText(settings: Setting[], untried: Setting[], leftOut: LeftOut[]): string {
  const reasonOf = (id: string) =>
    leftOut.find(({ setting }) => setting === id)?.reason ?? 'this chart has no such setting';
  const list = untried.map(({ id }) => `  ${id}: ${reasonOf(id)}`).join('\n');
  return `${untried.length} of ${settings.length} settings cannot be tried here:\n${list}`;
}

/** The settings that the deployment has now. */
async function readSituation({
  plan,
  given,
  progress,
}: Deploying): Promise<Pick<Situation, 'values' | 'defaults' | 'other'>> {
  if (!plan.foreign) return { values: withDefaults(given), defaults: chartDefaults() };
  const { objects } = await adoptForeign(await ensureHelm(progress), plan.foreign, plan.values);
  const pods = listLocalPods(objects);
  const of = (component: Pod['component']) => pods.filter((pod) => pod.component === component);
  const [[main], [worker]] = [of('main'), of('worker')];
  const variables = main!.container.env!.map(({ name, value = '' }): [string, string] => [name, value]);
  const parts: Record<string, string> = {
    webhooks: String(of('webhook').length),
    workers: String(of('worker').length),
    ...(worker && { concurrency: String(workerConcurrency(worker)) }),
  };
  return { values: {}, other: { ...Object.fromEntries(variables), ...parts } };
}

/** Of a deployment that the tool makes, whose mode is known. */
const modeOf = ({ mode }: { mode: string }): TuneRecord['mode'] => (mode === 'queue' ? 'queue' : 'regular');

/** Name of the file with the values that are tried on the chart. */
const TRIED_VALUES = 'tried';

/** The changes that the chart accepts beside the user's values, as many as fit. */
async function selectAcceptedChanges(
  { changes, leftOut }: { changes: Change[]; leftOut: LeftOut[] },
  { rows, perTrial }: { rows: number; perTrial: number },
  deploying: Deploying,
): Promise<{ changes: Change[]; leftOut: LeftOut[] }> {
  const fitting: Change[] = [];
  const refused: LeftOut[] = [];
  const noTime = noTimeText(leastBudget(perTrial, changes.length));
  for (const change of changes) {
    deploying.progress.signal.throwIfAborted();
    const reason = fitting.length >= mostChanges(rows) ? noTime : await chartRefusal([change], deploying);
    if (reason === undefined) fitting.push(change);
    else refused.push({ setting: change.setting, title: `${change.title}: ${String(change.to)}`, reason });
  }
  await deploying.folder.drop(TRIED_VALUES);
  return { changes: fitting, leftOut: [...leftOut, ...refused] };
}

/**
 * Why a change is not tried if there is no time for it.
 * @param least of a run that tries all, in seconds
 */
const noTimeText = (least: number): string =>
  `the budget is too short for it; ${least < Infinity ? `--budget ${Math.ceil(least / 60)}m has time for all` : 'no run has time for all: name fewer with --setting'}`;

/**
 * The trials without the changes that the chart refuses. Of changes that it refuses together, the first stays.
 * @returns ids, and the pairs that it refuses
 */
async function removeConflicts(
  trials: Change[][],
  deploying: Deploying,
): Promise<Pick<TuneRecord, 'rows' | 'conflicts'>> {
  const conflicts: TuneRecord['conflicts'] = [];
  const rows: string[][] = [];
  for (const trial of trials) {
    deploying.progress.signal.throwIfAborted();
    const known = withoutConflicts(trial, conflicts);
    const fits = (await chartRefusal(known, deploying)) === undefined ? known : [];
    if (fits !== known)
      for (const change of known)
        if ((await chartRefusal([...fits, change], deploying)) === undefined) fits.push(change);
        else conflicts.push(...(await findConflicts(change, fits, deploying)));
    rows.push(fits.map(({ id }) => id));
  }
  await deploying.folder.drop(TRIED_VALUES);
  return { rows, conflicts };
}

/** Pairs of a change and another one that the chart refuses together; none if it refuses only more than two together. */
async function findConflicts(change: Change, others: Change[], deploying: Deploying): Promise<TuneRecord['conflicts']> {
  const pairs: TuneRecord['conflicts'] = [];
  for (const other of others)
    if ((await chartRefusal([other, change], deploying)) !== undefined) pairs.push([other.id, change.id]);
  return pairs;
}

/** Why the chart refuses changes; undefined if it does not. */
async function chartRefusal(
  changes: Change[],
  { plan, given, folder, where, progress }: Deploying,
): Promise<string | undefined> {
  const file = await folder.values(TRIED_VALUES, trialValues(changes, given));
  try {
    await where.provisioner.prepare(withChanges(plan, file, changes), progress);
    return undefined;
  } catch (error) {
    if (error instanceof ChartRefused || error instanceof UsageError) return firstLine(error);
    throw error;
  }
}

/**
 * The plan with changes.
 * @param file the values of the changes
 */
export const withChanges = ({ foreign, ...plan }: Plan, file: string, changes: Change[]): Plan => ({
  ...plan,
  values: { ...plan.values, files: [...plan.values.files, file] },
  ...(foreign && { foreign: { ...foreign, overrides: { ...foreign.overrides, ...mergeOverrides(changes) } } }),
});

/** What changes set in the deployment of another chart. */
export const mergeOverrides = (changes: Change[]): Overrides =>
  Object.assign({}, ...changes.map(({ overrides }) => overrides)) as Overrides;
