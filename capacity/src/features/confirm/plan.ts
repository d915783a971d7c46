import { highestRate, isReplay, listedRates, notSteady, promisedTarget } from '../../plan/kinds.js';
import { lt } from 'semver';
import { runAllChecks } from '../../core/all-of.js';
import { UsageError } from '../../core/errors.js';
import { formatNumber } from '../../core/formats.js';
import { judgeOutcomes } from '../../judge/outcomes.js';
import { hasBroken } from '../../judge/overload.js';
import { judgeRun } from '../../judge/run.js';
import type { ConfirmedRate, ConfirmRecord } from './record.js';
import type { LoadPlan, Plan } from '../../model/plan.js';
import type { Overload } from '../../model/reports.js';
import type { RunVerdict } from '../../model/verdict.js';
import type { ConfiguredOptions } from '../../plan/options.js';
import { duration, wholeNumber } from '../../plan/quantities.js';
import { withWebhookPath } from '../../plan/custom-workflow/recorded-path.js';
import { NOT_RECORDED } from '../../plan/redact.js';
import {
  claimSeconds,
  DEFAULT_HEADROOM,
  readHeadroom,
  TARGET_SECONDS,
  targetGiven,
  type TargetGiven,
} from '../../plan/rates.js';
import { STEP_SECONDS } from '../../plan/times.js';
import { seeded } from '../../plan/validate.js';
import { SEEDABLE_SINCE } from '../../provision/seed/refuse.js';
import type { RecordedRun } from '../../record/recorder.js';

/** The flags of `n8n-capacity confirm`, as commander hands them over. */
export interface ConfirmOptions extends ConfiguredOptions, TargetGiven {
  deployments: string;
  soak: string;
  headroom?: string;
  stepDuration?: string;
  seedExecutions?: string;
}

const DEPLOYMENTS = { least: 3, most: 50 };
const SOAK_SECONDS = { least: 10, most: 72 * 3600 };
/** Multiple of a soak's length within which no limit may be reached. */
const HORIZON_FACTOR = 4;
/** Seconds of the shortest horizon. */
const MIN_HORIZON_SECONDS = 3600;

/**
 * Plans the confirmation of a run's values: each load at its target, and at the target × headroom. The target is that of the
 * run, or else its capacity ÷ headroom. Rates that held with another number of executions in the database are ignored. Rates
 * that broke count, because a fuller database makes nothing faster.
 * @throws UsageError if the run has no rate to confirm, or a flag does not fit it
 */
export function planConfirmation(run: RecordedRun, options: ConfirmOptions): ConfirmRecord {
  const { plan, deployment } = run.run;
  const { provisioner = 'process' } = deployment;
  if (provisioner === 'existing')
    throw new UsageError(`${run.folder}: is a run against an existing n8n; confirm needs deployments of its own.`);
  if (deployment.adopted)
    throw new UsageError(`${run.folder}: is a run of another chart, which has no values to confirm.`);
  if (Object.values(withWebhookPath(plan).scriptEnv).some((value) => value.includes(NOT_RECORDED)))
    throw new UsageError(
      `${run.folder}: its webhook was called with a query string or a path that is not recorded because it may be secret; give such values in --headers or --body, and run validate again.`,
    );
  const other = notSteady(plan.rates);
  if (other !== undefined)
    throw new UsageError(
      `${run.folder}: is the record of ${other}; values are confirmed at a steady arrival rate: run validate first.`,
    );
  if (isReplay(plan.rates))
    throw new UsageError(
      `${run.folder}: replays recorded arrivals, which have no steady rate, and values are confirmed at one: run validate with a --target, such as the busiest rate of the recording (${formatNumber(highestRate(plan.rates)!)}/s), and confirm that run.`,
    );
  const { headroom, deployments, soakSeconds, seed, stepSeconds, target } = runAllChecks({
    headroom: () => headroomFor(plan, options),
    deployments: () => wholeNumber(options.deployments, '--deployments', DEPLOYMENTS.least, DEPLOYMENTS.most),
    soakSeconds: () => duration(options.soak, '--soak', SOAK_SECONDS),
    seed: () => executionsToSeed(run, options),
    stepSeconds: () =>
      options.stepDuration === undefined ? undefined : duration(options.stepDuration, '--step-duration', STEP_SECONDS),
    target: () => targetGiven(options)?.rate,
  });
  const verdict = judgeRun(run);
  refuseDriftingSoak(run, verdict);
  const rates = plan.loads.map((load) => ratesToConfirm(run, verdict, load, headroom, target));
  const { guard: _, cpuProfile: __, configOrigin: ___, seedExecutions: before, ...shared } = plan;
  const lowest = Math.min(...rates.map((r) => r.target));
  return {
    tool: 'n8n-capacity confirm',
    startedAt: new Date().toISOString(),
    of: run.folder,
    provisioner,
    deployments,
    headroom,
    soakSeconds,
    rates,
    before: verdict.loads.flatMap(({ load, steps }) =>
      [...judgeOutcomes(steps, plan)].flatMap(([rate, outcome]) =>
        outcome === 'open' || (outcome === 'held' && before !== seed.seedExecutions)
          ? []
          : [{ load, rate, held: outcome === 'held' }],
      ),
    ),
    plan: {
      ...shared,
      ...(options.configOrigin && { configOrigin: options.configOrigin }),
      ...seed,
      rates: { kind: 'confirm', rates: rates.flatMap((r) => [r.target, r.withHeadroom]) },
      stepSeconds: stepSeconds ?? claimSeconds(lowest, plan.slo, TARGET_SECONDS),
      overload: false,
    },
  };
}

/** Executions; writing more would take long. */
const MAX_SEEDED = 50_000;

/**
 * Number of executions to put into the database before the load: as many as n8n keeps, but at most 50,000. None if the tool
 * cannot write to the database.
 */
function executionsToSeed({ run: { deployment, versions } }: RecordedRun, { seedExecutions }: ConfirmOptions) {
  if (seedExecutions !== undefined) return seeded(seedExecutions);
  const { provisioner = 'process', database, instances } = deployment;
  const isReached =
    provisioner === 'process' || database === 'sqlite' || instances.some(({ component }) => component === 'postgresql');
  if (!isReached || lt(versions.n8n, SEEDABLE_SINCE)) return {};
  return { seedExecutions: Math.min(MAX_SEEDED, deployment.pruning?.maxCount || MAX_SEEDED) };
}

function headroomFor({ rates }: Plan, { headroom }: ConfirmOptions): number {
  const promised = promisedTarget(rates);
  if (headroom === undefined && promised) return promised.headroom;
  return readHeadroom({ headroom: headroom ?? String(DEFAULT_HEADROOM) });
}

/** @throws UsageError if a recorded soak drifts: the soak of a confirmation looks less far ahead */
function refuseDriftingSoak({ folder }: RecordedRun, { soak }: RunVerdict): void {
  if (soak?.verdict !== 'drifts') return;
  const drifts = soak.drifts.filter((d) => d.verdict === 'drifts').map((d) => d.text);
  throw new UsageError(`${folder}: its soak failed: ${drifts.join('; ')}; validate other values.`);
}

/** @throws UsageError if an overload broke the deployment, because steady load would not show that */
function refuseBrokenByOverload({ folder, run }: RecordedRun, name: string, overload: Overload | undefined): void {
  if (overload === undefined) return;
  const { failsOn, rate } = overload;
  const broke = promisedTarget(run.plan.rates) !== undefined && hasBroken(overload);
  if (failsOn === undefined && !broke) return;
  const what = broke
    ? `n8n does not survive ${formatNumber(rate)}/s, or loses executions`
    : `requests keep failing after ${formatNumber(rate)}/s`;
  throw new UsageError(`${folder}: ${what} of ${name}, and steady load would not show that; validate other values.`);
}

function ratesToConfirm(
  run: RecordedRun,
  verdict: RunVerdict,
  { name }: LoadPlan,
  headroom: number,
  target: number | undefined,
): ConfirmedRate {
  const { rates } = run.run.plan;
  const overload = verdict.loads.find((l) => l.load === name)?.overload;
  const stuckAt = overload?.collapsedTo;
  refuseBrokenByOverload(run, name, overload);
  const of = (rate: number) => {
    if (stuckAt !== undefined && stuckAt < rate)
      throw new UsageError(
        `${run.folder}: after its overload the deployment is stuck at ${formatNumber(stuckAt)} of ${formatNumber(rate)}/s of ${name}, and steady load would not show that; give a --target below it, or validate other values.`,
      );
    return { load: name, target: rate, withHeadroom: rate * headroom };
  };
  if (target !== undefined) return of(target);
  const promised = promisedTarget(rates);
  if (promised) return of(promised.rate);
  const capacity = verdict.loads.find((l) => l.load === name)?.capacity;
  if (capacity === undefined)
    throw new UsageError(`${run.folder}: proves no rate for ${name}; give the rate to confirm, such as --target 20/s.`);
  return { load: name, target: capacity / headroom, withHeadroom: capacity };
}

/** A run of a confirmation: which load, and which of the fresh deployments, from 1; a soak has none. */
export interface ConfirmRun {
  load: string;
  deployment?: number;
}

/** The runs in order: each load on each fresh deployment, then the soaks. */
export function listRuns({ rates, deployments }: ConfirmRecord): ConfirmRun[] {
  const loads = rates.map((r) => r.load);
  const fresh = Array.from({ length: deployments }, (_, i) => loads.map((load) => ({ load, deployment: i + 1 })));
  return [...fresh.flat(), ...loads.map((load) => ({ load }))];
}

/** Distance between the seeds of two deployments. A step adds its index to the seed of its run. */
const SEED_DISTANCE = 1000;

/**
 * The plan of one run. The order of its two rates alternates between deployments, so that drift over time favours neither. Each
 * deployment has its own random arrivals.
 */
export function planRun(record: ConfirmRecord, { load, deployment }: ConfirmRun): Plan {
  const { plan, soakSeconds } = record;
  const { target, withHeadroom } = record.rates.find((r) => r.load === load)!;
  const { arrivals } = plan;
  const seed = (deployment ?? 0) * SEED_DISTANCE;
  const base: Plan = {
    ...plan,
    loads: plan.loads.filter(({ name }) => name === load),
    arrivals: arrivals.kind === 'poisson' ? { ...arrivals, seed: arrivals.seed + seed } : arrivals,
  };
  if (deployment === undefined) {
    const horizonSeconds = Math.max(MIN_HORIZON_SECONDS, HORIZON_FACTOR * soakSeconds);
    return { ...base, stepSeconds: soakSeconds, rates: { kind: 'soak', rate: withHeadroom, horizonSeconds } };
  }
  const rates = deployment % 2 === 1 ? [target, withHeadroom] : [withHeadroom, target];
  return { ...base, rates: { kind: 'confirm', rates: [...new Set(rates)] } };
}

/** Shortest time under load that the runs take, in seconds. */
export const leastSecondsUnderLoad = (record: ConfirmRecord): number =>
  listRuns(record)
    .map((run) => planRun(record, run))
    .reduce((all, { rates, stepSeconds }) => all + (listedRates(rates)?.length ?? 1) * stepSeconds, 0);
