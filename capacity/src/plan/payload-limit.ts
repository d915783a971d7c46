import type { DeploymentRecord } from '../model/run.js';
import { UsageError } from '../core/errors.js';
import { STEP_DEFAULTS } from './defaults.js';
import { planFromOptions } from './validate.js';
import type { Plan } from '../model/plan.js';
import { duration, wholeNumber } from './quantities.js';

/** The flags of `n8n-capacity payload-limit`. */
export interface PayloadLimitOptions {
  values?: string[];
  set?: string[];
  concurrency: string;
  hold: string;
  timeout: string;
  port?: string;
}

/** MiB that load targets may hold in a process, all executions together: no workflow can be given more. */
export const LOAD_TARGET_MEGABYTES = 1024;
/** Below it nothing is learnt: n8n itself needs more to start. */
const LEAST_MEGABYTES = 16;
const MOST_CLIENTS = LOAD_TARGET_MEGABYTES / LEAST_MEGABYTES;
/** Longest hold, so that a try of three of them stays within a minute. */
const LONGEST_HOLD_SECONDS = 20;
/** Executions that each client runs in a try at least; the first fills the heap, the next find it full of garbage. */
const ROUNDS = 3;
const LEAST_TRY_SECONDS = 5;

/** A plan of tries from the flags; every value is checked before anything starts. Throws UsageError. */
export function payloadLimitPlan({ concurrency, hold, ...options }: PayloadLimitOptions): Plan {
  const clients = concurrency.split(',').map((text) => wholeNumber(text.trim(), '--concurrency', 1, MOST_CLIENTS));
  const [twice] = clients.filter((n, i) => clients.indexOf(n) !== i);
  if (twice !== undefined) throw new UsageError(`--concurrency: ${twice} is given twice; give each number once.`);
  const seconds = duration(hold, '--hold');
  if (!(seconds >= 0.1 && seconds <= LONGEST_HOLD_SECONDS))
    throw new UsageError(`--hold: ${hold} is not allowed; write 100ms to ${LONGEST_HOLD_SECONDS}s.`);
  const plan = planFromOptions({
    ...options,
    workload: ['memory-hog'],
    query: [`ms=${Math.round(seconds * 1000)}`],
    clients: String(clients[0]),
    stepDuration: `${Math.max(LEAST_TRY_SECONDS, Math.ceil(ROUNDS * seconds))}s`,
    warmup: '1s',
    drain: STEP_DEFAULTS.drain,
  });
  return {
    ...plan,
    rates: { kind: 'payload-limit', concurrency: clients, minMiB: LEAST_MEGABYTES, maxMiB: LOAD_TARGET_MEGABYTES },
  };
}

/**
 * The plan with no payload that the load target would refuse: that would look like a limit of n8n. Plans of another kind
 * stay as they are.
 * @throws UsageError when the load target may hold too little for so many clients
 */
export function withinLoadTarget(plan: Plan, { loadTargetMegabytes = LOAD_TARGET_MEGABYTES }: Limited): Plan {
  const { rates } = plan;
  if (rates.kind !== 'payload-limit') return plan;
  const maxMiB = Math.min(rates.maxMiB, Math.floor(loadTargetMegabytes));
  const clients = Math.max(...rates.concurrency);
  if (!(maxMiB >= rates.minMiB * clients))
    throw new UsageError(
      `--concurrency: ${clients} × ${rates.minMiB} MiB is more than the ${maxMiB} MiB that load targets may hold in a process; give fewer clients.`,
    );
  return { ...plan, rates: { ...rates, maxMiB } };
}

type Limited = Pick<DeploymentRecord, 'loadTargetMegabytes'>;
