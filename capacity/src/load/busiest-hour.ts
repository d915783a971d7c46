import { MOST_RECORDED_SECONDS, RECORDING, type Recording } from '../model/recording.js';

/** One execution that began. */
export interface StartedExecution {
  workflowId: string;
  /** Milliseconds since the epoch. */
  at: number;
}

const MINUTE_MS = 60_000;
const HOUR_MINUTES = MOST_RECORDED_SECONDS / 60;

/**
 * Beginning of the hour with the most executions, on a whole minute, in milliseconds since the epoch.
 * @param minutes number of executions by minute since the epoch; a minute without executions has no entry
 */
export function findBusiestHour(minutes: Map<number, number>): number {
  const ascending = [...minutes.keys()].sort((a, b) => a - b);
  let [most, begin, count, oldest] = [0, ascending[0] ?? 0, 0, 0];
  for (const minute of ascending) {
    count += minutes.get(minute)!;
    while (ascending[oldest]! <= minute - HOUR_MINUTES) count -= minutes.get(ascending[oldest++]!)!;
    if (count > most) [most, begin] = [count, ascending[oldest]!];
  }
  return begin * MINUTE_MS;
}

/** Number of executions by minute since the epoch. */
export function countByMinute(started: Iterable<StartedExecution>): Map<number, number> {
  const minutes = new Map<number, number>();
  for (const { at } of started) {
    const minute = Math.floor(at / MINUTE_MS);
    minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
  }
  return minutes;
}

/** The recording of the hour that begins at `from`, in milliseconds since the epoch. The busiest workflow comes first. */
export function buildRecording(started: StartedExecution[], from: number, source: string): Recording {
  const workflows = new Map<string, number[]>();
  for (const { workflowId, at } of started) {
    const seconds = Math.round(at - from) / 1000;
    if (seconds < 0 || seconds >= MOST_RECORDED_SECONDS) continue;
    const offsets = workflows.get(workflowId);
    if (offsets) offsets.push(seconds);
    else workflows.set(workflowId, [seconds]);
  }
  return {
    kind: RECORDING,
    from: new Date(from).toISOString(),
    seconds: MOST_RECORDED_SECONDS,
    source,
    workflows: [...workflows]
      .map(([id, offsets]) => ({ id, count: offsets.length, offsets: offsets.sort((a, b) => a - b) }))
      .sort((a, b) => b.count - a.count || a.id.localeCompare(b.id)),
  };
}
