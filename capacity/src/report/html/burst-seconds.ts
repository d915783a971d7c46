import type { Component } from '../../model/events.js';
import type { BurstReport } from '../../model/reports.js';
import type { RecordedRun } from '../../record/recorder.js';

/** What was seen of one second of a burst; what was not read in it is absent. */
export interface BurstSecond {
  /** Seconds since the measured part began. */
  at: number;
  sent?: number;
  answered?: number;
  /** Executions that ended, per second. */
  completed?: number;
  backlog?: number;
  /** Pods that take requests. */
  ready: Partial<Record<Component, number>>;
  /** Median latency above the service time, in seconds. */
  p50?: number;
}

/** A burst second by second, until its drain has ended. */
export function burstSeconds({ steps, samples }: RecordedRun, { backlog }: BurstReport): BurstSecond[] {
  const step = steps[0]!;
  const { measuredFrom, endedAt } = step;
  const rows = Array.from({ length: Math.ceil((endedAt - measuredFrom) / 1000) }, (_, at): BurstSecond => ({
    at,
    ready: {},
  }));
  const row = (at: number) => rows[Math.floor(at)];
  for (const { at, sent, answered, p50 } of step.summary.seconds)
    Object.assign(row(at) ?? {}, { sent, answered, ...(p50 !== undefined && { p50 }) });
  for (const { at, value } of backlog.points) Object.assign(row(at) ?? {}, { backlog: value });
  let before: { at: number; ended: number } | undefined;
  for (const { at, executions, replicas } of samples) {
    const found = row((at - measuredFrom) / 1000);
    if (found && replicas) found.ready = Object.fromEntries(replicas.map((r) => [r.component, r.ready]));
    if (!executions) continue;
    const ended = executions.succeeded + executions.failed;
    if (found && before) found.completed = (ended - before.ended) / ((at - before.at) / 1000);
    before = { at, ended };
  }
  return rows;
}
