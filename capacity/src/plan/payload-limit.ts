import { LOAD_TARGET_MEGABYTES } from '../judge/profiles/payload-limit.js';
import { STEP_DEFAULTS } from './defaults.js';
import { planFromOptions } from './validate.js';
import type { Plan } from '../model/plan.js';
import { duration, wholeNumber } from './quantities.js';
import { InputError } from '../core/errors.js';

/** The flags of `n8n-capacity ceiling`. */
export interface CeilingOptions {
  values?: string[];
  set?: string[];
  concurrency: string;
  hold: string;
  timeout: string;
  port?: string;
}

/** Below it nothing is learnt: n8n itself needs more to start. */
const LEAST_MEGABYTES = 16;
const MOST_CLIENTS = LOAD_TARGET_MEGABYTES / LEAST_MEGABYTES;
/** Longest hold, so that a try of three of them stays within a minute. */
const LONGEST_HOLD_SECONDS = 20;
/** Executions that each client runs in a try at least; the first fills the heap, the next find it full of garbage. */
const ROUNDS = 3;
const LEAST_TRY_SECONDS = 5;

/** A plan of tries from the flags; every value is checked before anything starts. Throws InputError. */
export function ceilingPlan({ concurrency, hold, ...options }: CeilingOptions): Plan {
  const clients = concurrency.split(',').map((text) => wholeNumber(text.trim(), '--concurrency', 1, MOST_CLIENTS));
  const [twice] = clients.filter((n, i) => clients.indexOf(n) !== i);
  if (twice !== undefined) throw new InputError(`--concurrency: ${twice} is given twice; give each number once.`);
  const seconds = duration(hold, '--hold');
  if (!(seconds >= 0.1 && seconds <= LONGEST_HOLD_SECONDS))
    throw new InputError(`--hold: ${hold} is not allowed; write 100ms to ${LONGEST_HOLD_SECONDS}s.`);
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
    rates: { kind: 'ceiling', concurrency: clients, least: LEAST_MEGABYTES, most: LOAD_TARGET_MEGABYTES },
  };
}
