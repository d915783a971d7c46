import type { Slo } from '../plan/slo.js';
import type { Values } from '../chart/render.js';

/** One workload and its share of the arrivals. */
export interface MixPart {
  workload: string;
  /** Relative to the other parts; above 0. */
  weight: number;
}

/**
 * A workflow of the user's own, instead of one of the catalogue. Its files are named and not recorded: headers, body and
 * credentials may be secret.
 */
export interface OwnWorkflow {
  /** As they were given. */
  file: string;
  subWorkflows: string[];
  credentials?: string;
  /** The id under which n8n has it. */
  id: string;
  name: string;
  /** Of the webhook that is called, as `/webhook/order`. */
  path: string;
  method: string;
  /** When n8n answers: `onReceived` before the work, `lastNode` after it, `responseNode` where the workflow says. */
  responseMode: string;
  /** An answer counts by its status alone: nothing in it proves work. That executions have ended, n8n's own count tells. */
  proof: 'status';
}

/** A webhook of a workflow that is in an existing n8n already. */
export interface ServedWebhook {
  /** As `/webhook/order`, query string included. */
  path: string;
  method: string;
  /** Its nodes may reach outside n8n. */
  allowSideEffects: boolean;
}

/** What is driven together in one search: a single workload, or a mix. */
export interface LoadPlan {
  /** For tables and folders: the workload's name, or `mix`. */
  name: string;
  parts: MixPart[];
  /** What an answer takes by design, per workload, in seconds. */
  serviceSeconds: Record<string, number>;
  /** What a whole execution takes by design, per workload, in seconds. */
  executionSeconds: Record<string, number>;
  /** Present when the only part is a workflow of the user's own. */
  own?: OwnWorkflow;
  /** Present when the only part is a webhook that is there already. */
  served?: ServedWebhook;
}

/** A part of a burst: arrivals per second, for so many seconds. */
export interface Phase {
  name: 'base' | 'spike' | 'recovery';
  rate: number;
  seconds: number;
}

/** What a burst asks. Rates are arrivals per second, times are seconds. */
export interface BurstPlan {
  kind: 'burst';
  base: number;
  spike: number;
  /** How long the base rate is measured before the spike, how long the spike lasts, and the base rate after it. */
  baseSeconds: number;
  spikeSeconds: number;
  recoverySeconds: number;
  /** After the spike the backlog must be back at what it was before within this. */
  drainWithinSeconds: number;
}

/** How the rates of the steps are chosen. */
export type RatePlan =
  /** These, in this order. */
  | { kind: 'rates'; rates: number[] }
  /** The highest sustained rate: geometric steps from `start` times `factor`, then bisection until within `precision`, never below `lowest`. */
  | {
      kind: 'search';
      start: number;
      factor: number;
      precision: number;
      maxSteps: number;
      lowest: number;
      /** Requests that a step should have once a rate was broken; absent where the length of a step was given. */
      samples?: number;
      /** Where given the first rate, and the end of the search when it does not hold. */
      challenge?: number;
    }
  /** One step at the target times the headroom. */
  | { kind: 'target'; rate: number; headroom: number }
  /** Closed model: so many clients, each sending its next request when the last was answered. */
  | { kind: 'closed'; clients: number }
  /** One rate for as long as the step lasts; the run is judged for drift, too. */
  | { kind: 'soak'; rate: number }
  /** A spike above a base rate, then the base rate again. Rates per second, times in seconds. */
  | BurstPlan
  /**
   * For each number of clients the largest payload that survives, in megabytes from `least` to `most` over all clients; with
   * `rungs` the largest of these, tried in this order until one breaks.
   */
  | { kind: 'ceiling'; concurrency: number[]; least: number; most: number; rungs?: number[] };

/** Everything that a validation was asked to do; written into the record as it is. */
export interface Plan {
  values: Values;
  loads: LoadPlan[];
  rates: RatePlan;
  slo: Slo;
  /** Measured part of a step, its discarded warm-up, and the most that a drain may take, in seconds. */
  stepSeconds: number;
  warmupSeconds: number;
  drainSeconds: number;
  /** After which a request counts as failed, in seconds. */
  timeoutSeconds: number;
  /** Environment that the k6 scripts read: the workloads' query parameters. */
  scriptEnv: Record<string, string>;
  /** For an n8n that others use: no step above this rate, and the run ends with the first step that does not hold. */
  guard?: { maxRate: number };
  /** Port of the deployment's front door; any when absent. */
  port?: number;
}
