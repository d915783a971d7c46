import { z } from 'zod';
import { eventSchema } from '../../model/events.js';
import { planSchema } from '../../model/plan.js';
import { provisionerSchema } from '../../model/run.js';
import type { Exposure } from '../../model/advisories.js';
import type { Verdict } from '../../model/verdict.js';
import { requestSchema } from '../../model/requests.js';

const amount = z.number().min(0);
const time = z.number().min(0);

/** The faults, in the order in which they are tried. */
export const FAULTS = [
  'worker-kill',
  'worker-freeze',
  'workers-kill',
  'webhook-kill',
  'main-kill',
  'redis-restart',
  'redis-data-loss',
  'redis-unreachable',
  'postgres-restart',
  'postgres-outage',
  'postgres-connections',
  'disk-full',
  'rolling-restart',
  'scale-in',
  'node-drain',
  'overload',
] as const;
const faultNameSchema = z.enum(FAULTS);
export type FaultName = z.infer<typeof faultNameSchema>;

const entrySchema = z.object({
  id: z.string(),
  /** Execution that wrote it. */
  execution: z.string(),
  /** `begun` is written before the work, `done` after it. */
  event: z.enum(['begun', 'done']),
  /** Milliseconds since the epoch, by the clock of the ledger. */
  at: time,
});

/** A line of the ledger. */
export type LedgerEntry = z.infer<typeof entrySchema>;

const executionSchema = z.object({
  execution: z.string(),
  /** As n8n lists it: `success`, `error`, `crashed`, `new`, `running` … */
  status: z.string(),
  /** Milliseconds since the epoch; undefined for an execution that has not ended. */
  endedAt: time.optional(),
});

/** An execution as n8n lists it. */
export type ListedExecution = z.infer<typeof executionSchema>;

const injectionSchema = z.object({
  /** When the fault began and when it was over, in milliseconds since the epoch. */
  from: time,
  to: time,
  /** Evidence that the fault happened; undefined if there is none. */
  evidence: z.string().optional(),
  /** What did not become ready again after the fault, and how long that was awaited; undefined if everything did. */
  notBack: z.string().optional(),
});

/** The injection of a fault and its effect on readiness. */
export type Injection = z.infer<typeof injectionSchema>;

export const faultTrialSchema = z.object({
  /** In the order of trying, from 0. */
  index: z.number().int().min(0),
  fault: faultNameSchema,
  /** Why it could not be tried here; the rest is empty then. */
  skipped: z.string().optional(),
  /** The environment prevented it, such as a database that could not be reached: it is tried again. */
  environment: z.literal(true).optional(),
  /** Requests that k6 had to send; `generatorProblem` is undefined if k6 worked. */
  planned: amount,
  generatorProblem: z.string().optional(),
  injection: injectionSchema.optional(),
  requests: z.array(requestSchema),
  /** Undefined where it could not be read. */
  ledger: z.array(entrySchema).optional(),
  /** Undefined where n8n's executions could not be read. */
  executions: z.array(executionSchema).optional(),
  events: z.array(eventSchema),
  tookSeconds: amount,
});

/** One fault in a deployment of its own, and the outcome of every request. */
export type FaultTrial = z.infer<typeof faultTrialSchema>;

export const faultsSchema = z.object({
  tool: z.string(),
  startedAt: z.string(),
  provisioner: provisionerSchema,
  plan: planSchema,
  faults: z.array(faultNameSchema).min(1),
  /** The capacity, given or computed, and the rate that was sent, in executions per second. */
  capacity: amount,
  rate: amount,
  /** Seconds of work between the two entries of the ledger. */
  workSeconds: amount,
  /** Longest wait for executions to be accounted for after the load, in seconds. */
  settleSeconds: amount,
  /** Whether the chart's rescue ran beside it. */
  rescue: z.literal(true).optional(),
  versions: z.object({ n8n: z.string(), chart: z.string().optional(), k6: z.string().optional() }),
  /**
   * The n8n version of the values, and why another patch was tried. Undefined if that version itself was tried, and in records
   * before 0.2.
   */
  deployment: z.object({ askedVersion: z.string().optional(), askedWhy: z.string().optional() }).default({}),
  machine: z.object({ cpus: amount, cpuModel: z.string().optional() }),
});

/** `faults.json`: the faults to try. Written before anything starts. */
export type FaultsRecord = z.infer<typeof faultsSchema>;

/** Outcomes of an accepted request. */
export const OUTCOMES = ['done', 'twice', 'failed', 'crashed', 'stuck', 'vanished'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/**
 * Answers that a caller can get. `refused`: HTTP 503. `rejected`: any other error, or the page of a starting n8n. `unanswered`:
 * none.
 */
export const ANSWERS = ['accepted', 'refused', 'rejected', 'unanswered'] as const;
export type Told = (typeof ANSWERS)[number];

/** The requests of a trial by answer and by outcome. */
export interface Accounts {
  /** Requests by answer; the sum is the number of requests sent. */
  told: Record<Told, number>;
  /** Rejected requests that a starting n8n answered with HTTP 200. */
  starting: number;
  /** Accepted requests by outcome; the sum is the number accepted. */
  outcomes: Record<Outcome, number>;
  /** Ids of accepted requests that were not done exactly once. */
  ids: Record<Exclude<Outcome, 'done'>, string[]>;
  /** Accepted requests that were done by another execution than their own: a retry. */
  rescued: string[];
  /** Accepted requests that were done once although n8n lists their execution as failed or crashed: a retry repeats them. */
  misreported: string[];
  /** Requests that were executed although their callers got no answer or an error. */
  untold: string[];
  /** Executions that n8n still calls new or running and that belong to no accepted request. */
  orphans: number;
  /** Accepted requests whose work was not done yet when the fault began. */
  exposed: number;
}

/** The row of a fault. */
export interface FaultRow {
  fault: FaultName;
  verdict: Verdict;
  /** Why it is not PASS; empty for PASS. Each without a full stop. */
  reasons: string[];
  /** Undefined where the fault was not tried. */
  accounts?: Accounts;
  /**
   * Seconds from the beginning of the fault until every later request was accepted and done once; undefined if that was not
   * reached.
   */
  recoverySeconds?: number;
  /** Seconds from the beginning of the fault until the last request that was accepted before it was over was accounted for. */
  accountedSeconds?: number;
  evidence?: string;
  /** What to change; empty if nothing was lost. */
  change: string;
}

/** The answer of a run of `faults`, from its record alone. */
export interface FaultsConclusion {
  verdict: Verdict;
  /** One sentence without a full stop. */
  answer: string;
  rows: FaultRow[];
  /** Faults that are not tried yet. */
  left: FaultName[];
  /** Known vulnerabilities of the n8n that the values deploy; undefined where its version is unknown. */
  exposure?: Exposure;
  /** Why another patch of n8n was tried than the values name, as a sentence without a full stop. */
  askedWhy?: string;
  rate: number;
  workSeconds: number;
  folder: string;
}
