import { payloadSearchOf } from './kinds.js';
import { runAllChecks, checkEach } from '../core/all-of.js';
import { UsageError } from '../core/errors.js';
import type { Plan } from '../model/plan.js';
import type { DeploymentRecord } from '../model/run.js';
import { planLoads } from './loads.js';
import { flag, type ConfiguredOptions, type ValuesOptions } from './options.js';
import { buildPlan } from './plan.js';
import { duration, wholeNumber } from './quantities.js';
import { DEFAULT_SLO } from './slo.js';
import { STEP_DEFAULTS, stepTimes } from './times.js';
import { deploymentFrom } from './validate.js';

/** The flags of `n8n-capacity payload-limit`, as commander hands them over. */
export interface PayloadLimitOptions extends ValuesOptions, ConfiguredOptions {
  concurrency: string;
  hold: string;
  timeout: string;
  port?: string;
}

/** MiB that load targets may hold in a process, over all executions: the ceiling of the nodes. */
export const LOAD_TARGET_MEGABYTES = 1024;
/** A smaller payload shows nothing: n8n needs more to start. */
const LEAST_MEGABYTES = 16;
const MOST_CLIENTS = LOAD_TARGET_MEGABYTES / LEAST_MEGABYTES;
/** With the longest hold a try, which is three holds, still ends within a minute. */
const HOLD_SECONDS = { least: 0.1, most: 20 };
/** Executions of each client in a try, at least: the first fills the heap, the next start with a heap full of garbage. */
const ROUNDS = 3;
const LEAST_TRY_SECONDS = 5;

/** The plan of the tries from the flags; every value is checked before anything starts. Throws UsageError with all problems. */
export function payloadLimitPlan({ concurrency: list, hold, ...options }: PayloadLimitOptions): Plan {
  const { deployment, concurrency, holdSeconds, times } = runAllChecks({
    deployment: () => deploymentFrom(options),
    concurrency: () => readConcurrency(list),
    holdSeconds: () => duration(hold, '--hold', HOLD_SECONDS),
    times: () => stepTimes({ ...STEP_DEFAULTS, timeout: options.timeout }),
  });
  return buildPlan({
    ...deployment,
    ...(options.configOrigin && { configOrigin: options.configOrigin }),
    ...planLoads({ workload: ['memory-hog'], query: [['ms', String(Math.round(holdSeconds * 1000))]] }),
    ...times,
    warmupSeconds: 1,
    slo: DEFAULT_SLO,
    rates: { kind: 'payload-limit', concurrency, minMiB: LEAST_MEGABYTES, maxMiB: LOAD_TARGET_MEGABYTES },
    stepSeconds: Math.max(LEAST_TRY_SECONDS, Math.ceil(ROUNDS * holdSeconds)),
    named: flag,
  });
}

function readConcurrency(list: string): number[] {
  const clients = checkEach(list.split(','), (text) => wholeNumber(text.trim(), '--concurrency', 1, MOST_CLIENTS));
  const [twice] = clients.filter((n, i) => clients.indexOf(n) !== i);
  if (twice !== undefined) throw new UsageError(`--concurrency: ${twice} is given twice; give each number once.`);
  return clients;
}

/**
 * The plan without payloads that the load target would refuse, which would look like a limit of n8n. Plans of another kind
 * are unchanged.
 * @throws UsageError when the load target may hold too little for that many clients
 */
export function withinLoadTarget(plan: Plan, { loadTargetMegabytes = LOAD_TARGET_MEGABYTES }: Limited): Plan {
  const rates = payloadSearchOf(plan.rates);
  if (!rates) return plan;
  const maxMiB = Math.min(rates.maxMiB, Math.floor(loadTargetMegabytes));
  const clients = Math.max(...rates.concurrency);
  if (!(maxMiB >= rates.minMiB * clients))
    throw new UsageError(
      `--concurrency: ${clients} × ${rates.minMiB} MiB exceeds the ${maxMiB} MiB that load targets may hold in a process; give fewer clients.`,
    );
  return { ...plan, rates: { ...rates, maxMiB } };
}

type Limited = Pick<DeploymentRecord, 'loadTargetMegabytes'>;
