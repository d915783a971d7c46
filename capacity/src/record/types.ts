import type { InstanceEvent, Limits, LimitsNotice, Component } from '../provision/deployment.js';
import type { Plan } from '../plan/plan.js';

/** First line of a run: what was asked, what was deployed, and on what machine. */
export interface RunRecord {
  tool: string;
  startedAt: string;
  plan: Plan;
  versions: { n8n: string; node: string; k6: string; helm: string; chart: string };
  machine: { cpus: number; memoryBytes: number; platform: string };
  deployment: DeploymentRecord;
}

export interface DeploymentRecord {
  mode: 'regular' | 'queue';
  process: 'main' | 'own';
  database: string;
  limits: LimitsNotice;
  instances: { name: string; component: Component; limits: Limits; heapMiB?: number; runnerHeapMiB?: number }[];
  /** Executions that can run at once, where something limits them: workers times concurrency. */
  slots?: number;
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

/** One step, written when it has ended. */
export interface StepRecord {
  index: number;
  load: string;
  /** Arrivals per second; absent in a closed step. */
  rate?: number;
  clients?: number;
  /** Milliseconds since the epoch. */
  measuredFrom: number;
  measuredTo: number;
  endedAt: number;
  k6: {
    exitCode: number | null;
    message?: string;
    /** Share of all cores, 0 to 1. */ cpuShare: number | null;
    samples: string;
  };
  summary: LoadSummary;
  /** Executions, warm-up included: answered (each started one), ended, and ended as failed; null when they could not be counted. */
  executions: { accepted: number; completed: number; failed: number; drainSeconds: number } | null;
  /** Executions accepted but not ended, about once a second; `at` in seconds since the measured part began. */
  backlog: { at: number; executions: number }[];
  events: InstanceEvent[];
}
