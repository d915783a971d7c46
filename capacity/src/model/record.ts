import type { Noise } from '../judge/noise.js';
import type { InstanceEvent, Limits, LimitsNotice, Component } from './deployment.js';
import type { RowCounts } from '../observe/tables.js';
import type { Phase, Plan } from './plan.js';

/** First line of a run: what was asked, what was deployed, and on what machine. */
export interface RunRecord {
  tool: string;
  startedAt: string;
  plan: Plan;
  versions: { n8n: string; k6: string; node?: string; helm?: string; chart?: string };
  machine: {
    cpus: number;
    memoryBytes: number;
    platform: string;
    /** Requests per second that k6 reached here against a server that answers at once; absent when nobody has measured. */
    generatorLimit?: number;
    /** By how much runs of one configuration differed here, before this one; absent when nobody has measured. */
    noise?: Noise;
  };
  deployment: DeploymentRecord;
}

export type ProvisionerName = 'process' | 'kubernetes' | 'existing';

export interface DeploymentRecord {
  /** What brought it to life; absent in older records, which are of local processes. */
  provisioner?: ProvisionerName;
  /** What said which version of n8n it is; absent where the values say so, and where nothing does. */
  versionFrom?: string;
  /** `unknown` of an n8n that was there already. */
  mode: 'regular' | 'queue' | 'unknown';
  process: 'main' | 'own' | 'unknown';
  database: string;
  limits: LimitsNotice;
  instances: { name: string; component: Component; limits: Limits; heapMiB?: number; runnerHeapMiB?: number }[];
  /** What changes the number of pods of a component; absent where nothing does, and where that is not known. */
  autoscalers?: { component: Component; kind: string; least: number; most: number }[];
  /** Executions that can run at once, where something limits them: workers times concurrency. */
  slots?: number;
  /** Connections that each n8n process may have to PostgreSQL; absent in older records, and without PostgreSQL. */
  poolSize?: number;
  /** Workloads made of built-in nodes, whose answers do not say which process worked: n8n-nodes-tuned is not installed. */
  builtIn?: string[];
  /** N8N_LOAD_TARGET_MAX_MEGABYTES of what runs executions; absent where nothing sets it. */
  loadTargetMegabytes?: number;
  /** When n8n deletes old executions; absent in older records, and where it never does. */
  pruning?: { maxAgeHours: number; maxCount: number };
}

/** One second of a step, as k6 saw it. Times in seconds since the measured part began; latencies in seconds. */
export interface LoadSecond {
  at: number;
  sent: number;
  answered: number;
  failed: number;
  /** Median overhead of the answers of that second; absent when there was none. */
  p50?: number;
}

/** What k6 saw in the measured part of a step. Latencies are overheads: what is above the service time, in seconds. */
export interface LoadSummary {
  /** Iterations that were due: sent and dropped. */
  offered: number;
  answered: number;
  failed: number;
  /** Failed requests by kind. */
  failures: Record<string, number>;
  dropped: number;
  latency: { p50: number; p95: number; p99: number; max: number } | null;
  seconds: LoadSecond[];
  /** Most requests in flight. */
  vusMost: number;
}

/** A part of a burst, as k6 saw it. Times in seconds since the measured part began; latencies as in LoadSummary. */
export interface PhaseRecord {
  name: Phase['name'];
  /** Arrivals per second. */
  rate: number;
  from: number;
  to: number;
  answered: number;
  failed: number;
  failures: Record<string, number>;
  latency: LoadSummary['latency'];
}

/**
 * Where k6 ran: on the machine of the local processes under test; in a pod on a node with or without pods under test; here,
 * with its requests forwarded into a cluster; on another machine than an n8n that was there already.
 */
export type GeneratorPlace = 'machine' | 'own-node' | 'shared-node' | 'forwarded' | 'elsewhere';

/** Rows of n8n's tables at one time of a soak. */
export interface RowsRecord {
  /** Milliseconds since the epoch. */
  at: number;
  rows: RowCounts;
}

/** One step, written when it has ended. */
export interface StepRecord {
  index: number;
  load: string;
  /** Arrivals per second; absent in a closed step and in a burst. */
  rate?: number;
  /** Of a burst. */
  phases?: PhaseRecord[];
  clients?: number;
  /** Megabytes (MiB) that each execution held, in a ceiling. */
  mb?: number;
  /** Milliseconds since the epoch. */
  measuredFrom: number;
  measuredTo: number;
  endedAt: number;
  k6: {
    exitCode: number | null;
    message?: string;
    /** Share of all cores, 0 to 1. */ cpuShare: number | null;
    /** Requests per second that this generator reaches against a server that answers at once; absent when nobody has measured. */
    limit?: number;
    samples: string;
    /** Absent in older records: this machine. */
    place?: GeneratorPlace;
  };
  summary: LoadSummary;
  /** Executions, warm-up included: answered (each started one), ended, and ended as failed; null when they could not be counted. */
  executions: { accepted: number; completed: number; failed: number; drainSeconds: number } | null;
  /**
   * Executions accepted but not ended, about once a second; `at` in seconds since the measured part began. Of a burst until
   * its drain has ended.
   */
  backlog: { at: number; executions: number }[];
  events: InstanceEvent[];
  /** k6 ended it early: of an n8n that others use, errors were clearly above the objective. */
  aborted?: true;
}
