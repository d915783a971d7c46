import type { DeploymentRecord } from '../../model/run.js';
import type { Component, InstanceEvent } from '../../model/events.js';
import type { RunVerdict } from '../../model/verdict.js';
import type { RecordedRun } from '../../record/recorder.js';
import { toMebibytes, formatMib } from '../../core/formats.js';
import { axis, BASE, limitLine, line, marks, niceCeil, type Key, type Plot, type Points } from './plot.js';
import { eventWord, instanceSeries, maximum, presentValues } from './series.js';
import { deathLines, restartPoints, seconds, makeTimeline, type Timeline } from './timeline.js';

type InstanceRecord = DeploymentRecord['instances'][number];

/** Colours of the page for instances; further instances use them again. */
const COLOURS = 8;

/** Memory and CPU of the processes of one component, over the whole run. */
export interface ComponentPlots {
  component: Component;
  memory: Plot;
  cpu: Plot;
}

/** One pair of plots for each component, whose instances have the same limits. */
export function componentPlots(run: RecordedRun, verdict: RunVerdict): ComponentPlots[] {
  const components = [...new Set(run.run.deployment.instances.map((i) => i.component))];
  const time = makeTimeline(run, verdict);
  return components.map((component) => {
    const instances = run.run.deployment.instances.filter((i) => i.component === component);
    const events = time.events.filter((e) => e.component === component);
    return { component, memory: memoryPlot(instances, run, time, events), cpu: cpuPlot(instances, run, time, events) };
  });
}

/** Waiting and active jobs; undefined if the queue was not sampled. */
export function queuePlot(run: RecordedRun, verdict: RunVerdict): Plot | undefined {
  const looks = run.samples.flatMap(({ at, queue }) => (queue ? [{ at, ...queue }] : []));
  const { slots } = run.run.deployment;
  return workAndWaiting(looks, makeTimeline(run, verdict), {
    title: 'Jobs in the queue',
    unit: 'jobs',
    work: 'active',
    limit: slots === undefined ? undefined : { most: slots, text: `${slots} slots` },
  });
}

/** Requests that are under way and that wait in the line of the overload protection, of all processes together. */
export function requestsPlot(run: RecordedRun, verdict: RunVerdict): Plot | undefined {
  const looks = run.samples.flatMap(({ at, instances }) => {
    const each = instances.flatMap((i) => i.admission ?? []);
    const of = (name: 'underWay' | 'waiting' | 'limit') => each.reduce((sum, look) => sum + look[name], 0);
    return each.length > 0 ? [{ at, active: of('underWay'), waiting: of('waiting'), limit: of('limit') }] : [];
  });
  const limit = maximum(looks.map((look) => look.limit));
  return workAndWaiting(looks, makeTimeline(run, verdict), {
    title: 'Requests (overload protection)',
    unit: 'requests',
    work: 'under way',
    limit: { most: limit, text: `at most ${limit} under way` },
  });
}

interface Waiting {
  title: string;
  unit: string;
  /** What is not waiting. */
  work: string;
  limit: { most: number; text: string } | undefined;
}

function workAndWaiting(
  looks: { at: number; active: number; waiting: number }[],
  time: Timeline,
  { title, unit, work, limit }: Waiting,
): Plot | undefined {
  if (looks.length === 0) return undefined;
  const keys: Key[] = [
    { name: 'waiting', colour: 'var(--waiting)', dash: 'solid' },
    { name: work, colour: 'var(--answered)', dash: 'solid' },
  ];
  const of = (name: 'waiting' | 'active'): Points => looks.map((look) => [seconds(look.at, time.origin), look[name]]);
  const data = [of('waiting'), of('active')];
  const lines = limit ? [limitLine({ yAxis: limit.most }, limit.text, 'var(--muted)')] : [];
  return {
    title,
    alternative: `${title} over time: at most ${maximum(presentValues(data[0]!))} waiting and ${maximum(presentValues(data[1]!))} ${work}.`,
    keys,
    units: { x: 'clock', y: 'count' },
    option: {
      ...BASE,
      xAxis: time.axis,
      yAxis: axis(unit, 0, niceCeil(maximum(data.flatMap(presentValues), limit?.most) * 1.08)),
      series: [marks(lines, time.bands), ...keys.map((key, i) => line(key, data[i]!))],
    },
  };
}

function memoryPlot(instances: InstanceRecord[], run: RecordedRun, time: Timeline, events: InstanceEvent[]): Plot {
  const series = instances.map((i) => instanceSeries(i.name, run.samples, time.origin));
  const limit = instances[0]!.limits.memoryBytes;
  const limitMiB = limit === undefined ? undefined : toMebibytes(limit);
  const heap = instances[0]!.heapMiB;
  const hasHeap = series.map((s) => presentValues(s.heapMiB).length > 0);
  const keys = instances.map((i, n): Key => ({ name: i.name, colour: colour(n), dash: 'solid' }));
  const heapKeys = keys.map((key): Key => ({ ...key, name: `${key.name} heap used`, dash: 'dashed' }));
  const lines = [
    ...(limitMiB === undefined
      ? []
      : [limitLine({ yAxis: limitMiB }, `memory limit ${formatMib(limitMiB)}${enforcementNote(run)}`, 'var(--fail)')]),
    ...(heap !== undefined && hasHeap.some(Boolean)
      ? [limitLine({ yAxis: heap }, `heap limit ${formatMib(heap)}`, 'var(--muted)', [2, 4])]
      : []),
  ];
  const peaks = instances.map((i, n) => `${i.name} at most ${formatMib(maximum(presentValues(series[n]!.rssMiB)))}`);
  const highest = maximum(
    series.flatMap((s) => presentValues(s.rssMiB)),
    limitMiB,
  );
  return {
    title: 'Memory (RSS)',
    alternative: `Resident memory over time: ${peaks.join(', ')}${limitMiB === undefined ? '' : `; the limit is ${formatMib(limitMiB)}`}.${describeEvents(events)}`,
    keys: [...keys, ...heapKeys.filter((_, n) => hasHeap[n])],
    units: { x: 'clock', y: 'mebibytes' },
    option: {
      ...BASE,
      xAxis: time.axis,
      yAxis: axis('MiB', 0, niceCeil(highest * 1.08)),
      series: [
        marks([...lines, ...deathLines(events, time)], time.bands, restartPoints(events, time)),
        ...keys.map((key, n) => line(key, series[n]!.rssMiB)),
        ...heapKeys.flatMap((key, n) => (hasHeap[n] ? [line(key, series[n]!.heapMiB)] : [])),
      ],
    },
  };
}

function cpuPlot(instances: InstanceRecord[], run: RecordedRun, time: Timeline, events: InstanceEvent[]): Plot {
  const data = instances.map((i) => instanceSeries(i.name, run.samples, time.origin).cores);
  const millis = instances[0]!.limits.cpuMillis;
  const limit = millis === undefined ? undefined : millis / 1000;
  const keys = instances.map((i, n): Key => ({ name: i.name, colour: colour(n), dash: 'solid' }));
  const lines =
    limit === undefined
      ? []
      : [limitLine({ yAxis: limit }, `CPU limit ${limit}${enforcementNote(run)}`, 'var(--fail)')];
  const peaks = instances.map((i, n) => `${i.name} at most ${maximum(presentValues(data[n]!)).toFixed(2)}`);
  return {
    title: 'CPU',
    alternative: `Cores used over time: ${peaks.join(', ')}${limit === undefined ? '' : `; the limit is ${limit}`}.${describeEvents(events)}`,
    keys,
    units: { x: 'clock', y: 'cores' },
    option: {
      ...BASE,
      xAxis: time.axis,
      yAxis: axis('cores', 0, niceCeil(maximum(data.flatMap(presentValues), limit ?? 0.1) * 1.08)),
      series: [
        marks([...lines, ...deathLines(events, time)], time.bands, restartPoints(events, time)),
        ...keys.map((key, n) => line(key, data[n]!)),
      ],
    },
  };
}

const colour = (n: number): string => `var(--series-${(n % COLOURS) + 1})`;
const enforcementNote = ({ run }: RecordedRun): string => (run.deployment.limits.enforced ? '' : ' (not enforced)');
/** The events as sentences, for a reader who cannot see the plot. */
const describeEvents = (events: InstanceEvent[]): string =>
  events.map((e) => ` ${e.instance}: ${eventWord(e)}.`).join('');
