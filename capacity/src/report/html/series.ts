import type { InstanceEvent } from '../../model/events.js';
import type { InstanceSample, Sample } from '../../model/sample.js';
import type { LoadSecond } from '../../model/step.js';
import type { RecordedRun } from '../../record/recorder.js';
import type { Points } from './plot.js';

/** Use of one instance over the run, by seconds since the run began; null while it was down or its counter restarted. */
export interface InstanceSeries {
  rssMiB: Points;
  heapMiB: Points;
  cores: Points;
}

const MIB = 2 ** 20;
/** A sample has the time of its slowest answer; two samples closer than this give no rate. */
const MIN_SPAN_MS = 500;

/** Memory and CPU of an instance over time. A restart leaves a gap: a new process counts its CPU time from 0. */
export function instanceSeries(name: string, samples: Sample[], origin: number): InstanceSeries {
  const series: InstanceSeries = { rssMiB: [], heapMiB: [], cores: [] };
  let before: { at: number; sample: InstanceSample } | undefined;
  for (const { at, instances } of samples) {
    const sample = instances.find((i) => i.name === name && i.processes > 0);
    const second = Number(((at - origin) / 1000).toFixed(1));
    series.rssMiB.push([second, sample ? inMiB(sample.rssBytes) : null]);
    series.heapMiB.push([second, sample?.heapUsedBytes === undefined ? null : inMiB(sample.heapUsedBytes)]);
    if (before && sample && at - before.at < MIN_SPAN_MS) continue;
    series.cores.push([second, coresBetween(before, sample && { at, sample })]);
    before = sample && { at, sample };
  }
  return series;
}

function coresBetween(
  before: { at: number; sample: InstanceSample } | undefined,
  now: { at: number; sample: InstanceSample } | undefined,
): number | null {
  if (!before || !now || now.at <= before.at || now.sample.cpuSeconds < before.sample.cpuSeconds) return null;
  return Number(((now.sample.cpuSeconds - before.sample.cpuSeconds) / ((now.at - before.at) / 1000)).toFixed(3));
}

/** To a tenth of a MiB. */
const inMiB = (bytes: number): number => Number((bytes / MIB).toFixed(1));

/** The values of a series, without its gaps. */
export const presentValues = (points: Points): number[] => points.flatMap(([, value]) => value ?? []);

/** The largest value, at least `least`. Unlike Math.max it takes any number of values. */
export const maximum = (values: number[], least = 0): number => values.reduce((a, b) => Math.max(a, b), least);

/** When the plots over time begin, in milliseconds since the epoch. */
export const plotOrigin = (run: RecordedRun): number => run.samples[0]?.at ?? run.steps[0]?.measuredFrom ?? 0;

/** An event in one or two words. */
export const eventWord = ({ reason, kind }: InstanceEvent): string => reason ?? kind.replace('-', ' ');

/** All events of the deployment. An interrupted run has its events in the steps alone. */
export function allEvents(run: RecordedRun): InstanceEvent[] {
  return run.events.length > 0 ? run.events : run.steps.flatMap((s) => s.events);
}

/** The most points of a series in a plot: without a limit, a soak of days would give a report of 100 MB. */
const MAX_POINTS = 5000;

/** Every n-th item of a series, so that at most `max` remain. */
export function thinOut<T>(series: T[], max = MAX_POINTS): T[] {
  const every = Math.ceil(series.length / max);
  return every <= 1 ? series : series.filter((_, i) => i % every === 0);
}

/** A run for plots over time. Its counters are cumulative, so rates stay the same between the samples that remain. */
export const thinOutSamples = (run: RecordedRun): RecordedRun => ({ ...run, samples: thinOut(run.samples) });

/** Seconds of a step in groups of `each`, at most `max` groups: means of the counts, the highest of the latencies. */
export function groupSeconds(seconds: LoadSecond[], max = MAX_POINTS): { each: number; points: LoadSecond[] } {
  const each = Math.max(1, Math.ceil(seconds.length / max));
  const points = Array.from({ length: Math.ceil(seconds.length / each) }, (_, i) =>
    mergeSeconds(seconds.slice(i * each, (i + 1) * each)),
  );
  return { each, points };
}

function mergeSeconds(seconds: LoadSecond[]): LoadSecond {
  const mean = (of: (s: LoadSecond) => number) => seconds.reduce((sum, s) => sum + of(s), 0) / seconds.length;
  const latencies = seconds.flatMap(({ p50 }) => p50 ?? []);
  return {
    at: seconds[0]!.at,
    sent: mean((s) => s.sent),
    answered: mean((s) => s.answered),
    failed: mean((s) => s.failed),
    ...(latencies.length > 0 && { p50: Math.max(...latencies) }),
  };
}
