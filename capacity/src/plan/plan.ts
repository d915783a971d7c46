import type { Slo } from './slo.js';
import type { Values } from '../provision/process/render.js';

/** One workload and its share of the arrivals. */
export interface MixPart {
  workload: string;
  /** Relative to the other parts; above 0. */
  weight: number;
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
}

/** How the rates of the steps are chosen. */
export type RatePlan =
  /** These, in this order. */
  | { kind: 'rates'; rates: number[] }
  /** The highest sustained rate: geometric steps from `start` times `factor`, then bisection until within `precision`, never below `lowest`. */
  | { kind: 'search'; start: number; factor: number; precision: number; maxSteps: number; lowest: number }
  /** One step at the target times the headroom. */
  | { kind: 'target'; rate: number; headroom: number }
  /** Closed model: so many clients, each sending its next request when the last was answered. */
  | { kind: 'closed'; clients: number };

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
  /** Port of the deployment's front door; any when absent. */
  port?: number;
}
