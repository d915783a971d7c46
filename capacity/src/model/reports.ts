import type { Component, DeathReason } from './events.js';
import type { PhaseRecord } from './step.js';

/** A value at a time, in seconds since the measured part began. */
export interface Point {
  at: number;
  value: number;
}

/** Executions that wait or run, over time. */
export interface Backlog {
  /** `queue`: jobs in Bull's lists; `counts`: executions accepted less those that have ended. */
  source: 'queue' | 'counts';
  points: Point[];
}

/** How the pods of one component became more. Seconds since the spike began. */
export interface Scaling {
  component: Component;
  /** Ready before the spike, and at most after it began. */
  before: number;
  most: number;
  /** Most pods that an autoscaler asked for. */
  wanted: number;
  /** When the first further pod and when the last one took requests; undefined while none did. */
  firstReady?: number;
  lastReady?: number;
}

/** The report of a burst. Times in seconds, those after the spike since its end. */
export interface BurstReport {
  phases: PhaseRecord[];
  backlog: Backlog;
  /** The highest backlog of the base load before the spike, at least 1; at this level a backlog counts as drained. */
  baseLevel: number;
  /** The highest backlog since the spike began, and when it was reached; undefined when no backlog could be read. */
  peak?: { executions: number; seconds: number };
  /** Until the backlog was back at the base level, after its peak; undefined when it was not. */
  drainSeconds?: number;
  /** Until the median latency of a second was back at the highest of the base load; undefined when it was not. */
  latencyBackSeconds?: number;
  /** Components whose pods became more. */
  scaling: Scaling[];
  /** Whether anything could have scaled; undefined if unknown. */
  autoscaled?: boolean;
  /** Accepted executions that have not ended: lost, or still queued; undefined when they could not be counted. */
  unended?: { lost: number; queued: number };
}

/** What a deployment does under more load than it takes, and after it. */
export interface Overload {
  /** Arrivals per second in the overload, and for how many seconds. */
  rate: number;
  seconds: number;
  /** Arrivals per second after it, and for how many seconds. */
  returnRate: number;
  returnSeconds: number;
  /** Executions that succeeded per second, in the overload and after; undefined where they could not be counted. */
  completed?: number;
  completedAfter?: number;
  /** Requests of the overload: answered correctly, refused with a time to come back, and failed otherwise or not sent. */
  answered: number;
  refused: number;
  failed: number;
  /** Correct answers that came during the overload, whenever they were asked for: those of the line at its end come later. */
  served: number;
  /** Median time until a refusal, in seconds; undefined where nothing was refused. */
  refusedP50?: number;
  /** What died or failed a probe, a clause each. */
  deaths: string[];
  /** Until answers met the SLO again and nothing waited, after the overload; undefined when they did not. */
  backSeconds?: number;
  /**
   * Executions per second that it is stuck at: it fell behind further although no more arrived than it takes, so that it does
   * not come back by itself. Undefined where it did not collapse, or that is unknown.
   */
  collapsedTo?: number;
  /** Share of the requests that at least failed in the last third of the return, if it is not back, and nothing becomes better. */
  failsOn?: number;
  /** Accepted executions that did not end, in words, though it is back and nothing waits: they are lost. */
  unended?: string;
  /** It is not back, and executions that wait do not become fewer; the return was too short to tell more. */
  unsettled?: true;
  /** Why the overload says nothing about the deployment; undefined where it does. */
  unclear?: string;
  /** Fewer requests arrived than the overload has, or the generator was at its limit: it may have been none. */
  notOffered?: true;
}

/**
 * `stable`: no limit is reached within the horizon; `drifts`: one is; `unproven`: the soak was too short to tell which;
 * `too-short`: nothing can be said of so few minutes.
 */
export type DriftVerdict = 'stable' | 'drifts' | 'unproven' | 'too-short';

/** How one quantity changes under a steady load. */
export interface Drift {
  of: 'memory' | 'heap' | 'latency' | 'slow' | 'errors' | 'backlog' | 'rows';
  /** The instance, the load or the table. */
  name: string;
  /** Change an hour, in bytes, seconds, share of the requests, executions or rows (Theil-Sen); 0 when too short. */
  perHour: number;
  /** Bounds of that change, each exceeded by chance in 0.5 %; undefined where the soak allows none. */
  low?: number;
  high?: number;
  verdict: DriftVerdict;
  /** Hours until the limit is reached at that rate; undefined without a limit or a growth. */
  hoursToLimit?: number;
  /** Hours for which the limit is proved not to be reached; undefined without a limit, or if it never is. */
  provedHours?: number;
  /** Rows deleted an hour, where the number of inserted ones is known. */
  prunedPerHour?: number;
  /** One sentence without a full stop. */
  text: string;
}

export interface DriftReport {
  /** The worst of all; `too-short` when nothing was measured. */
  verdict: DriftVerdict;
  drifts: Drift[];
}

/** The report of a soak, beside the verdict on its step. */
export interface SoakReport extends DriftReport {
  /** Time after the soak for which no limit may be reached. */
  horizonSeconds: number;
  /** Quantities that could not be read; nothing is claimed of them. */
  unknown: string[];
}

/**
 * What ended a try: the death of n8n or of a task runner, or failed requests although nothing died. `LoadTarget`: the load target
 * reached its own ceiling, so n8n was not the limit.
 */
export type PayloadLimitReason = DeathReason | 'TaskRunner' | 'FailedRequests' | 'LoadTarget';

/** One payload tried at one concurrency. */
export interface PayloadTry {
  /** What each execution held. */
  payloadMiB: number;
  /** `inconclusive`: something else than n8n failed, and nothing is known of the payload. */
  outcome: 'survived' | 'broke' | 'inconclusive';
  /** Of one that broke. */
  limit?: PayloadLimitReason;
  /** The instance that died; undefined when none did. */
  instance?: string;
  /** Of one that survived, with more of its memory limit in use than is safe. */
  full?: true;
  /** What was seen, without a full stop. */
  text: string;
}

/** Payloads of one execution to look among. */
export interface PayloadRange {
  minMiB: number;
  maxMiB: number;
  /** Above it nothing is expected to survive: it is tried before the largest, which may cost n8n a minute of dying. */
  expectedMiB?: number;
  /** Only these, in this order, until one breaks. */
  rungs?: number[];
}

/** The answer for one number of clients. */
export interface PayloadLimit {
  clients: number;
  /** PASS: bracketed as closely as asked; INCONCLUSIVE: something else than n8n failed, or the search did not end. */
  verdict: 'PASS' | 'INCONCLUSIVE';
  /** Largest payload that survived, and the smallest above it that did not, in MiB; undefined where there is none. */
  survivedMiB?: number;
  brokeMiB?: number;
  limit?: PayloadLimitReason;
  /** One sentence without a full stop. */
  text: string;
  tries: PayloadTry[];
}
