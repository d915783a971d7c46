import type { LoadSummary, StepRecord } from '../model/step.js';
import type { Component, DeathReason, InstanceEvent } from '../model/events.js';
import type { DimensionValue } from '../model/sweep.js';
import type { PayloadLimitReason } from '../model/reports.js';

/** What was measured of one cell of an experiment; times in seconds, memory in MiB. */
export interface CellRecord {
  /** Part and dimensions, as a folder's name. */
  id: string;
  part: string;
  of: Record<string, DimensionValue>;
  startedAt: string;
  versions: Record<string, string>;
  /** Of what was asked: another one is another cell. */
  digest: string;
  /** How long it took in all, the deployment included. */
  tookSeconds: number;
  machine: Machine;
  /** Whether CPU and memory limits were enforced, and how. */
  limits: string;
  /** Why nothing was measured: what the chart, or n8n's start, said. */
  refused?: string;
  load?: LoadFigures;
  /** Of a search for the largest payload. */
  payload?: { survivedMb?: number; brokeMb?: number; limit?: PayloadLimitReason };
  events: CellEvent[];
  /** Processes of the cell, as /proc showed them; none on Kubernetes. */
  processes: ProcessFigures[];
  /** Most processes of n8n that were alive at one time. */
  processesMost?: number;
  /** Most memory that all processes but k6 held at one time; what they share counts once. */
  memoryMostMib?: number;
  /** Pods; `executions` are those that it has started, absent where it counts none. */
  pods: { name: string; component: Component; peakMib: number; executions?: number }[];
  /** Executions per second that the slots of its workers allow. */
  bound?: number;
  /** What the pods of this configuration reserve: cores, MiB, and the price of an hour. */
  reserved?: { cores: number; memoryMib: number; perHour: number };
}

/** Where a cell was measured. */
export interface Machine {
  cpus: number;
  memoryBytes: number;
  kernel: string;
  processor: string;
  /** What shared which cores. */
  sharing: string;
}

/** The measured part of the cell's last step. */
export interface LoadFigures extends Omit<LoadSummary, 'seconds' | 'offered' | 'vusMost'> {
  clients?: number;
  /** Arrivals per second that were asked for; absent in the closed model. */
  asked?: number;
  seconds: number;
  executions: StepRecord['executions'];
  /** What an answer takes by design; the latencies are above it. */
  serviceSeconds: number;
  /** Share of the cores that k6 may use. */
  k6CpuShare: number | null;
  /** What was wrong with k6, so that the figures say nothing. */
  problem?: string;
}

export interface CellEvent {
  /** Seconds since the cell's first sample. */
  at: number;
  instance: string;
  kind: InstanceEvent['kind'];
  reason?: DeathReason;
}

export interface ProcessFigures {
  pid: number;
  /** What it is: main, worker, webhook, task runner, own-mode child, balancer, control, k6 or a database's name. */
  role: string;
  peakMib: number;
  /** Mean of the last quarter of its life over that of the second; absent of one that lived a few seconds. */
  growth?: number;
  /** Requests that it served, where that was counted. */
  requests?: number;
}

/** One run of an experiment, as it is committed beside its page. */
export interface ExperimentRecord {
  experiment: string;
  grid: 'quick' | 'full';
  cells: CellRecord[];
}
