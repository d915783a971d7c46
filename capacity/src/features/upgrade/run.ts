import { UsageError } from '../../core/errors.js';
import { formatSeconds, formatRate } from '../../core/formats.js';
import type { Progress } from '../../core/progress.js';
import type { Prepared } from '../../model/deployment.js';
import type { Plan } from '../../model/plan.js';
import { SIDES, type Side, type UpgradeRecord, type UpgradeTrial } from './record.js';
import { renderChart } from '../../chart/render.js';
import { redactedPlan } from '../../plan/redact.js';
import { mergedMaps } from '../../plan/values.js';
import type { Where } from '../../provision/choose.js';
import { mergedValues } from '../../chart/merged-values.js';
import { ensureHelm } from '../../tools/programs.js';
import { planAtRate } from '../trial/latency.js';
import { trialsLeftText, measureTrial, type Measuring } from '../trial/measure.js';
import { generatorHere } from '../../run/generator-here.js';
import { environmentChanges } from './environment.js';
import { UpgradeFolder } from './folder.js';
import type { UpgradeRequest } from './plan.js';
import { openTrials, type PlannedTrial } from './schedule.js';
import { upgradeInPlace } from './survive.js';

/**
 * Compares two versions of n8n: upgrades one to the other on the same database, then measures fresh deployments of both by
 * turns. Trials that the folder holds are not measured again, unless they were disturbed. Leaves nothing running.
 * @throws UsageError or ChartRefused before anything starts if it cannot run, Interrupted if the user ended it
 */
export async function upgrade(request: UpgradeRequest, path: string, where: Where, progress: Progress): Promise<void> {
  const folder = new UpgradeFolder(path);
  const helm = await ensureHelm(progress);
  const given = await mergedValues(helm, request.plan.values);
  await folder.giveValues(given);
  const plans = await writePlans(request, folder, given);
  const record = await progress
    .during('checking both versions', () => prepareUpgradeRecord(request, { plans, helm, where, progress }))
    .catch(async (error: unknown) => {
      await folder.takeBack();
      throw error;
    });
  const before = await folder.begin(record);
  const trials = before.filter(({ disturbed }) => disturbed === undefined);
  const again = before.length - trials.length;
  const context: Context = { tool: record.tool, folder, where, progress, plans, record, trials, again };
  if (!(await tryInPlaceUpgrade(context))) return;
  await measureAll({ ...context, ...(await generatorHere(where, progress)) });
}

interface Context extends Measuring {
  folder: UpgradeFolder;
  plans: Record<Side, Plan>;
  record: UpgradeRecord;
  /** Those that are measured; grows. */
  trials: UpgradeTrial[];
  /** Trials of earlier commands that something else disturbed: they are measured again. */
  again: number;
}

/** The plan of each version: the user's values with its tag, as one file, so that no assignment of the user wins over it. */
export async function writePlans(
  request: UpgradeRequest,
  folder: UpgradeFolder,
  given: Record<string, unknown>,
): Promise<Record<Side, Plan>> {
  const plan = async (side: Side): Promise<Plan> => {
    const values = mergedMaps(given, { image: { tag: request[side], digest: '', version: '' } });
    return { ...request.plan, values: { files: [await folder.values(request[side], values)], set: [] } };
  };
  return { from: await plan('from'), to: await plan('to') };
}

export async function prepareUpgradeRecord(
  { tool, plan, from, to, pairs, executions }: UpgradeRequest,
  { plans, helm, where, progress }: Pick<Context, 'plans' | 'where' | 'progress'> & { helm: string },
): Promise<UpgradeRecord> {
  const prepared = {
    from: await where.provisioner.prepare(plans.from, progress),
    to: await where.provisioner.prepare(plans.to, progress),
  };
  const substitutes = substitutionReasons(prepared);
  if (prepared.from.versions.n8n === prepared.to.versions.n8n)
    throw new UsageError(
      `--from ${from} --to ${to}: both would run n8n ${prepared.to.versions.n8n}, so nothing could differ (${Object.values(substitutes).join('; ')}). Give versions that npm has, or measure images with --provisioner kubernetes.`,
    );
  const [before, after] = await Promise.all(SIDES.map((side) => renderChart(helm, plans[side].values)));
  return {
    tool,
    startedAt: new Date().toISOString(),
    provisioner: where.name,
    from,
    to,
    plan: redactedPlan(plan),
    pairs,
    executions,
    environment: environmentChanges(before!, after!),
    ...(Object.keys(substitutes).length > 0 && { substitutes }),
  };
}

/** Why another patch of a version runs, for each of which one does. */
function substitutionReasons(prepared: Record<Side, Prepared>): Partial<Record<Side, string>> {
  const of = (side: Side) => {
    const { askedWhy } = prepared[side].record;
    return askedWhy === undefined ? {} : { [side]: askedWhy };
  };
  return { ...of('from'), ...of('to') };
}

/** The upgrade on the same database comes first: it is the quickest to fail. Returns whether anything else matters then. */
async function tryInPlaceUpgrade({ folder, plans, record, where, progress }: Context): Promise<boolean> {
  const known = await folder.survival();
  // An old version that did not start says nothing about the upgrade.
  if (known && known.side !== 'from') return known.failed === undefined;
  progress.line(`n8n ${record.from} to ${record.to} on its database`);
  const { executions } = record;
  const to = plans.to.values;
  const survival = await upgradeInPlace({ plan: plans.from, to, executions, logs: folder.logs, where, progress });
  await folder.keepSurvival(survival);
  const { failed, skipped, seconds } = survival;
  progress.line(`  ${failed ?? skipped ?? `ready after ${seconds!.toFixed(1)} s`}`);
  return failed === undefined;
}

async function measureAll(context: Context): Promise<void> {
  const { record, trials, folder, progress } = context;
  for (let [next, ...others] = openTrials(record, trials); next; [next, ...others] = openTrials(record, trials)) {
    const trial = await measure(context, next);
    trials.push(trial);
    await folder.trial(trial);
    const what = `n8n ${record[next.side]}${next.rate === undefined ? '' : ` at ${formatRate(next.rate)}`}`;
    const figures = trial.failed ?? trial.disturbed ?? figuresText(trial);
    progress.line(`${what}: ${figures}${trialsLeftText(others.length, trials)}`);
  }
}

const figuresText = ({ rate, perSecond: throughput, p95 }: UpgradeTrial): string =>
  rate !== undefined && p95 !== undefined ? `p95 ${formatSeconds(p95)}` : formatRate(throughput!);

async function measure(context: Context, { stage, side, rate }: PlannedTrial): Promise<UpgradeTrial> {
  const { plans, trials, again } = context;
  const plan = rate === undefined ? plans[side] : planAtRate(plans[side], rate);
  const index = trials.length + again;
  const measured = await measureTrial(context, index, () => Promise.resolve(plan));
  return { index, stage, side, ...(rate !== undefined && { rate }), ...measured };
}
