import semver from 'semver';
import { didYouMean } from '../../core/did-you-mean.js';
import { runAllChecks, checkEach } from '../../core/all-of.js';
import { UsageError } from '../../core/errors.js';
import { formatNumber } from '../../core/formats.js';
import { FAULTS, type FaultName } from './record.js';
import type { Plan } from '../../model/plan.js';
import type { DeploymentRecord, ProvisionerName } from '../../model/run.js';
import type { ConfiguredOptions } from '../../plan/options.js';
import { arrivalRate, duration, wholeNumber } from '../../plan/quantities.js';
import type { ForeignOptions } from '../../plan/foreign.js';
import { deploymentFrom } from '../../plan/validate.js';
import { choosePlace, type WhereOptions } from '../../provision/choose.js';
import { CATALOGUE } from './catalogue.js';

/** The flags of `n8n-capacity faults`, as commander hands them over. */
export interface FaultsOptions
  extends ForeignOptions, ConfiguredOptions, Pick<WhereOptions, 'provisioner' | 'kubeContext'> {
  fault?: string[];
  rate?: string;
  work: string;
  after: string;
  settle: string;
  timeout: string;
  seed: string;
}

/** Where faults are tried: nothing that others use is harmed. */
export type FaultsProvisioner = Exclude<ProvisionerName, 'existing'>;

/** What a run of `faults` tries. */
export interface FaultsRequest {
  tool: string;
  plan: Plan;
  provisioner: FaultsProvisioner;
  /** Context of the kubeconfig; undefined: its current one. */
  context?: string;
  /** Undefined: all that the deployment can have. */
  faults?: FaultName[];
  /** Capacity in executions per second; undefined: computed from the deployment. */
  capacity?: number;
  workSeconds: number;
  /** Length of the load after the fault, in seconds. */
  afterSeconds: number;
  settleSeconds: number;
}

export const FAULTS_DEFAULTS = { work: '5s', after: '1m', settle: '5m', timeout: '30s', seed: '1' } as const;

/** Share of the capacity that is sent. */
export const SHARE = 0.7;

/** What is sent to a deployment of that capacity, both in executions per second. */
export const sentRate = (capacity: number): number => Number(formatNumber(capacity * SHARE));
/** Taken as the capacity, in executions per second, where nothing limits the executions at once: low enough for every n8n. */
const DEFAULT_CAPACITY = 4;
/** Time before the fault in which executions must be done, beside that of one execution. */
const BEFORE_SECONDS = 20;
/** The name of the load, and of its script. */
const NAME = 'faults';

/** What the flags ask for. Throws UsageError with all problems. */
export function faultsRequest(options: FaultsOptions): FaultsRequest {
  const { fault, rate, configOrigin, kubeContext } = options;
  const { deployed, timeoutSeconds, seed, workSeconds, ...asked } = runAllChecks({
    provisioner: () => readProvisioner(options),
    deployed: () => deploymentFrom(options),
    ...(fault && { faults: () => readFaultNames(fault) }),
    ...(rate !== undefined && { capacity: () => arrivalRate(rate, '--rate') }),
    workSeconds: () => duration(options.work, '--work', { least: 1, most: 60 }),
    afterSeconds: () => duration(options.after, '--after', { least: 20, most: 3600 }),
    settleSeconds: () => duration(options.settle, '--settle', { least: 30, most: 4 * 3600 }),
    timeoutSeconds: () => duration(options.timeout, '--timeout', { least: 1, most: 600 }),
    seed: () => wholeNumber(options.seed, '--seed', 0, 1_000_000_000),
  });
  return {
    tool: 'n8n-capacity faults',
    plan: { ...planOf({ ...deployed, timeoutSeconds, workSeconds, seed }), ...(configOrigin && { configOrigin }) },
    workSeconds,
    ...(kubeContext !== undefined && { context: kubeContext }),
    ...asked,
  };
}

function readProvisioner(options: Pick<FaultsOptions, 'provisioner' | 'kubeContext'>): FaultsProvisioner {
  if (options.provisioner === 'existing')
    throw new UsageError(
      '--provisioner existing: faults are tried only in deployments of their own; use process or kubernetes.',
    );
  return choosePlace(options).name as FaultsProvisioner;
}

function planOf({
  workSeconds,
  seed,
  ...given
}: Pick<Plan, 'values' | 'foreign' | 'timeoutSeconds'> & { workSeconds: number; seed: number }): Plan {
  return {
    ...given,
    loads: [
      {
        name: NAME,
        parts: [{ workload: NAME, weight: 1 }],
        serviceSeconds: { [NAME]: 0 },
        executionSeconds: { [NAME]: workSeconds },
      },
    ],
    rates: { kind: 'rates', rates: [] },
    slo: { errors: 1 },
    stepSeconds: 0,
    warmupSeconds: 0,
    drainSeconds: 0,
    arrivals: { kind: 'poisson', seed },
    scriptEnv: {},
    overload: false,
  };
}

function readFaultNames(texts: string[]): FaultName[] {
  const given = texts.flatMap((text) => text.split(',')).map((text) => text.trim());
  const names = checkEach(given, (text) => {
    const name = FAULTS.find((known) => known === text);
    if (!name)
      throw new UsageError(
        `--fault ${text}: does not exist${didYouMean(text, [...FAULTS])} Allowed are ${FAULTS.join(', ')}.`,
      );
    return name;
  });
  return FAULTS.filter((name) => names.includes(name));
}

/**
 * Refuses an n8n whose answers do not name their execution (run: 1.123.81, 2.6.4; read: 2.7.5), so that no request could be followed.
 * @param version of n8n
 * @throws UsageError
 */
export function requireNamedExecutions(version: string): void {
  if (semver.gte(version, '2.8.0')) return;
  throw new UsageError(
    `n8n ${version}: its answer to a webhook does not name the execution, so accepted requests cannot be followed; use n8n 2.8 or newer.`,
  );
}

/**
 * The faults to try in a deployment. The overload is three times the capacity. It is left out if the capacity is unknown: the user
 * gives no rate, and the deployment has no limit on concurrent executions.
 * @throws UsageError for one that it cannot have
 */
export function faultsFor(
  { faults: asked, provisioner, capacity }: Pick<FaultsRequest, 'faults' | 'provisioner' | 'capacity'>,
  { instances, slots }: Pick<DeploymentRecord, 'instances' | 'slots'>,
): FaultName[] {
  const isGuess = (name: FaultName) =>
    CATALOGUE[name].overload !== undefined && capacity === undefined && slots === undefined;
  const isElsewhere = (name: FaultName) => (CATALOGUE[name].only?.provisioner ?? provisioner) !== provisioner;
  const lacking = (name: FaultName) =>
    Object.entries(CATALOGUE[name].needs).find(
      ([component, count]) => instances.filter((i) => i.component === component).length < count,
    );
  for (const name of asked ?? []) {
    const { only } = CATALOGUE[name];
    if (only && isElsewhere(name))
      throw new UsageError(
        `--fault ${name}: only with --provisioner ${only.provisioner}, ${only.because}; leave it out.`,
      );
    if (isGuess(name))
      throw new UsageError(
        `--fault ${name}: these values do not limit the executions at once, so the capacity is unknown; give it with --rate.`,
      );
    const [component, count] = lacking(name) ?? [];
    if (component !== undefined)
      throw new UsageError(
        `--fault ${name}: needs ${count} × ${component}, which these values do not deploy; leave it out, or give other values.`,
      );
  }
  const fits = (name: FaultName) => lacking(name) === undefined && !isElsewhere(name) && !isGuess(name);
  return asked ?? FAULTS.filter(fits);
}

/** The capacity that was given, else slots ÷ work. */
export const estimateCapacity = (
  { capacity, workSeconds }: FaultsRequest,
  { slots }: Pick<DeploymentRecord, 'slots'>,
) => capacity ?? (slots === undefined ? DEFAULT_CAPACITY : slots / workSeconds);

/** A part of the load: a rate, in arrivals per second, and its length. */
interface Part {
  rate: number;
  seconds: number;
}

/** The load around a fault. */
export interface Timetable {
  /** When the fault begins, in seconds since the load began. */
  beforeSeconds: number;
  parts: Part[];
}

/** Load that fills the queue before a fault: a multiple of the capacity, and its length in seconds. */
const FILL = { factor: 3, seconds: 5 };

/**
 * The load of one fault: 70 % of the capacity before, meanwhile and after; an overload has its own rate meanwhile, and a fault that
 * fills the queue just before.
 */
export function timetable(
  fault: FaultName,
  {
    capacity,
    workSeconds,
    afterSeconds,
    instances,
    slots = 0,
  }: Pick<FaultsRequest, 'workSeconds' | 'afterSeconds'> & {
    capacity: number;
    instances: number;
    slots?: number | undefined;
  },
): Timetable {
  const { seconds, overload, fillsQueue } = CATALOGUE[fault];
  const rate = sentRate(capacity);
  // With a low rate of the user's, a multiple of that is no overload.
  const most = Math.max(capacity, slots / workSeconds);
  const beforeSeconds = Math.ceil(workSeconds + BEFORE_SECONDS);
  const meanwhile = Math.ceil(seconds(instances));
  if (fillsQueue)
    return {
      beforeSeconds,
      parts: [
        { rate, seconds: beforeSeconds - FILL.seconds },
        { rate: FILL.factor * most, seconds: FILL.seconds },
        { rate, seconds: meanwhile + afterSeconds },
      ],
    };
  if (overload === undefined)
    return { beforeSeconds, parts: [{ rate, seconds: beforeSeconds + meanwhile + afterSeconds }] };
  return {
    beforeSeconds,
    parts: [
      { rate, seconds: beforeSeconds },
      { rate: most * overload, seconds: meanwhile },
      { rate, seconds: afterSeconds },
    ],
  };
}
