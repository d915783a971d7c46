import type { Inside, InstanceSample, Sample } from '../model/sample.js';

/** What an n8n process did with its time over a period; each part is undefined where n8n did not tell. */
export interface InsideUse {
  /** Cores that its main thread used, which runs its JavaScript; at most 1. */
  threadCores?: number;
  /** Cores that its own process used, without its children. */
  ownCores?: number;
  /** Share of the time in garbage collection, at least, and in that of the old generation. */
  gc?: number;
  majorGc?: number;
  /** Expression isolates taken per second, and the share of the time for which the event loop built one. */
  isolates?: number;
  coldIsolates?: number;
  /** Mean wait for a connection to the database, in seconds. */
  connectionWait?: number;
}

/** What the processes of one instance did between two times. */
export function insideBetween(samples: Sample[], name: string, from: number, to: number): InsideUse {
  const seen = samples.flatMap(({ at, instances }): Seen[] => {
    const instance = at >= from && at <= to ? instances.find((i) => i.name === name) : undefined;
    return instance ? [{ at, instance }] : [];
  });
  const rate = (of: (i: InstanceSample) => number | undefined) => computeRate(seen, of);
  const inside = (key: keyof Inside) => rate((i) => i.inside?.[key]);
  const [connections, waited] = [inside('connections'), inside('connectionSeconds')];
  return withoutUnknown({
    threadCores: rate((i) => i.threadCpuSeconds),
    ownCores: rate((i) => i.ownCpuSeconds),
    gc: inside('gcSeconds'),
    majorGc: inside('majorGcSeconds'),
    isolates: inside('isolates'),
    coldIsolates: inside('coldIsolateSeconds'),
    connectionWait: connections && waited !== undefined ? waited / connections : undefined,
  });
}

/** An instance as a sample shows it. */
export interface Seen {
  at: number;
  instance: InstanceSample;
}

/** Increase of a counter per second, without the spans in which its process was replaced; undefined if it was not seen twice. */
export function computeRate(seen: Seen[], of: (instance: InstanceSample) => number | undefined): number | undefined {
  const values = seen.flatMap(({ at, instance }) => {
    const value = of(instance);
    return value === undefined ? [] : [{ at, value }];
  });
  const spans = values.slice(1).flatMap((now, i) => {
    const before = values[i]!;
    return now.value < before.value ? [] : [{ ms: now.at - before.at, grown: now.value - before.value }];
  });
  const ms = spans.reduce((sum, span) => sum + span.ms, 0);
  return ms > 0 ? (spans.reduce((sum, span) => sum + span.grown, 0) / ms) * 1000 : undefined;
}

const withoutUnknown = (all: { [key in keyof InsideUse]: number | undefined }): InsideUse =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
