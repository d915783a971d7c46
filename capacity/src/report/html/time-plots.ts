import type { JudgedStep, LoadVerdict, RunVerdict } from '../../judge/run.js';
import type { Verdict } from '../../judge/step.js';
import type { Component, InstanceEvent } from '../../provision/deployment.js';
import type { RecordedRun } from '../../record/recorder.js';
import type { DeploymentRecord } from '../../record/types.js';
import { eventsOf, eventWord, instanceSeries, originOf, present } from './facts.js';
import { axis, BASE, clockAxis, limitLine, marks, niceCeil, type Key, type Plot } from './plot.js';

type Points = [number, number | null][];
type InstanceRecord = DeploymentRecord['instances'][number];

/** How many colours the page has for instances; more instances take them again. */
const COLOURS = 8;
const MARKS: Record<Verdict, string> = { PASS: '', FAIL: ' ✕', INVALID: ' ?' };

/** Memory and CPU of the processes of one component, over the whole run. */
export interface ComponentPlots {
  component: Component;
  memory: Plot;
  cpu: Plot;
}

/** One pair of plots a component: its instances have the same limits, and other components other scales. */
export function componentPlots(run: RecordedRun, verdict: RunVerdict): ComponentPlots[] {
  const components = [...new Set(run.run.deployment.instances.map((i) => i.component))];
  const time = timeline(run, verdict);
  return components.map((component) => {
    const instances = run.run.deployment.instances.filter((i) => i.component === component);
    const events = time.events.filter((e) => e.component === component);
    return { component, memory: memoryPlot(instances, run, time, events), cpu: cpuPlot(instances, run, time, events) };
  });
}

/** Jobs that wait and that are worked on, when they were sampled. */
export function queuePlot(run: RecordedRun, verdict: RunVerdict): Plot | undefined {
  const samples = run.samples.filter((s) => s.queue);
  if (samples.length === 0) return undefined;
  const time = timeline(run, verdict);
  const keys: Key[] = [
    { name: 'waiting', colour: 'var(--waiting)', dash: 'solid' },
    { name: 'active', colour: 'var(--answered)', dash: 'solid' },
  ];
  const of = (name: 'waiting' | 'active'): Points => samples.map((s) => [seconds(s.at, time.origin), s.queue![name]]);
  const data = [of('waiting'), of('active')];
  const { slots } = run.run.deployment;
  const most = Math.max(...data.flatMap(present), slots ?? 0);
  const lines = slots === undefined ? [] : [limitLine({ yAxis: slots }, `${slots} slots`, 'var(--muted)')];
  return {
    title: 'Jobs in the queue',
    alternative: `Jobs in Bull's queue over time: at most ${Math.max(...present(data[0]!))} waiting and ${Math.max(...present(data[1]!))} active.`,
    keys,
    units: { x: 'clock', y: 'count' },
    option: {
      ...BASE,
      xAxis: time.axis,
      yAxis: axis('jobs', 0, niceCeil(most * 1.08)),
      series: [marks(lines, time.bands), ...keys.map((key, i) => line(key, data[i]!))],
    },
  };
}

/** Where there is no second rate to compare with: how one step went, second by second. */
export function stepOverTime(load: LoadVerdict, { step }: JudgedStep): [latency: Plot, throughput: Plot] {
  const every = (valueOf: (s: (typeof step.summary.seconds)[number]) => number | undefined): Points => step.summary.seconds.map((s) => [s.at, valueOf(s) ?? null]);
  const last = Math.max(1, ...step.summary.seconds.map((s) => s.at));
  const xAxis = clockAxis('time in the step', last);
  const plot = (title: string, y: string, unit: 'duration' | 'count', keys: Key[], data: Points[]): Plot => ({
    title,
    alternative: `${title}, for ${load.load}, over the ${last + 1} seconds of step ${step.index + 1}.`,
    note: 'A request counts in the second in which it was sent.',
    keys,
    units: { x: 'clock', y: unit },
    option: { ...BASE, xAxis, yAxis: axis(y, 0, niceCeil(Math.max(...data.flatMap(present), 0) * 1.05)), series: keys.map((key, i) => line(key, data[i]!)) },
  });
  const p50: Key = { name: 'p50', colour: 'var(--p95)', dash: 'solid' };
  const counts: Key[] = [
    { name: 'sent', colour: 'var(--offered)', dash: 'dotted' },
    { name: 'answered', colour: 'var(--answered)', dash: 'solid' },
    { name: 'failed', colour: 'var(--fail)', dash: 'dashed' },
  ];
  return [
    plot('Median latency of each second', 'latency', 'duration', [p50], [every((s) => s.p50)]),
    plot('Requests of each second', 'requests', 'count', counts, [every((s) => s.sent), every((s) => s.answered), every((s) => s.failed)]),
  ];
}

/** What all plots over the whole run share. */
interface Timeline {
  origin: number;
  axis: ReturnType<typeof clockAxis>;
  /** The measured part of each step, shaded and numbered. */
  bands: object[][];
  events: InstanceEvent[];
}

function timeline(run: RecordedRun, verdict: RunVerdict): Timeline {
  const origin = originOf(run);
  const events = eventsOf(run);
  const judged = verdict.loads.flatMap((l) => l.steps).sort((a, b) => a.step.index - b.step.index);
  const ends = [run.samples.at(-1)?.at ?? origin, ...events.map((e) => e.at), ...run.steps.map((s) => s.measuredTo)];
  const bands = judged.map((s) => [
    {
      name: `${s.step.index + 1}${MARKS[s.judged.verdict]}`,
      xAxis: seconds(s.step.measuredFrom, origin),
      itemStyle: { color: s.judged.verdict === 'FAIL' ? 'var(--fail-tint)' : 'var(--band)' },
      label: { position: 'insideTop', distance: 3, fontSize: 10, color: s.judged.verdict === 'FAIL' ? 'var(--fail)' : 'var(--muted)' },
    },
    { xAxis: seconds(s.step.measuredTo, origin) },
  ]);
  return { origin, events, bands, axis: clockAxis('time', Math.max(1, Math.ceil(seconds(Math.max(...ends), origin)))) };
}

function memoryPlot(instances: InstanceRecord[], run: RecordedRun, time: Timeline, events: InstanceEvent[]): Plot {
  const series = instances.map((i) => instanceSeries(i.name, run.samples, time.origin));
  const limit = instances[0]!.limits.memoryBytes;
  const limitMiB = limit === undefined ? undefined : Math.round(limit / 2 ** 20);
  const heap = instances[0]!.heapMiB;
  const hasHeap = series.map((s) => present(s.heapMiB).length > 0);
  const keys = instances.map((i, n): Key => ({ name: i.name, colour: colour(n), dash: 'solid' }));
  const heapKeys = keys.map((key): Key => ({ ...key, name: `${key.name} heap used`, dash: 'dashed' }));
  const lines = [
    ...(limitMiB === undefined ? [] : [limitLine({ yAxis: limitMiB }, `memory limit ${limitMiB} MiB${enforced(run)}`, 'var(--fail)')]),
    ...(heap !== undefined && hasHeap.some(Boolean) ? [limitLine({ yAxis: heap }, `heap limit ${heap} MiB`, 'var(--muted)', [2, 4])] : []),
  ];
  const peaks = instances.map((i, n) => `${i.name} at most ${Math.round(Math.max(0, ...present(series[n]!.rssMiB)))} MiB`);
  return {
    title: 'Memory (RSS)',
    alternative: `Resident memory over time: ${peaks.join(', ')}${limitMiB === undefined ? '' : `; the limit is ${limitMiB} MiB`}.${told(events)}`,
    keys: [...keys, ...heapKeys.filter((_, n) => hasHeap[n])],
    units: { x: 'clock', y: 'mebibytes' },
    option: {
      ...BASE,
      xAxis: time.axis,
      yAxis: axis('MiB', 0, niceCeil(Math.max(limitMiB ?? 0, ...series.flatMap((s) => present(s.rssMiB))) * 1.08)),
      series: [
        marks([...lines, ...deaths(events, time)], time.bands),
        ...keys.map((key, n) => line(key, series[n]!.rssMiB)),
        ...heapKeys.flatMap((key, n) => (hasHeap[n] ? [line(key, series[n]!.heapMiB)] : [])),
        ...restarts(events, time.origin),
      ],
    },
  };
}

function cpuPlot(instances: InstanceRecord[], run: RecordedRun, time: Timeline, events: InstanceEvent[]): Plot {
  const data = instances.map((i) => instanceSeries(i.name, run.samples, time.origin).cores);
  const millis = instances[0]!.limits.cpuMillis;
  const limit = millis === undefined ? undefined : millis / 1000;
  const keys = instances.map((i, n): Key => ({ name: i.name, colour: colour(n), dash: 'solid' }));
  const lines = limit === undefined ? [] : [limitLine({ yAxis: limit }, `CPU limit ${limit}${enforced(run)}`, 'var(--fail)')];
  const peaks = instances.map((i, n) => `${i.name} at most ${Math.max(0, ...present(data[n]!)).toFixed(2)}`);
  return {
    title: 'CPU',
    alternative: `Cores used over time: ${peaks.join(', ')}${limit === undefined ? '' : `; the limit is ${limit}`}.${told(events)}`,
    keys,
    units: { x: 'clock', y: 'cores' },
    option: {
      ...BASE,
      xAxis: time.axis,
      yAxis: axis('cores', 0, niceCeil(Math.max(limit ?? 0, 0.1, ...data.flatMap(present)) * 1.08)),
      series: [marks([...lines, ...deaths(events, time)], time.bands), ...keys.map((key, n) => line(key, data[n]!)), ...restarts(events, time.origin)],
    },
  };
}

const seconds = (at: number, origin: number): number => Number(((at - origin) / 1000).toFixed(1));
const colour = (n: number): string => `var(--series-${(n % COLOURS) + 1})`;
const enforced = ({ run }: RecordedRun): string => (run.deployment.limits.enforced ? '' : ' (not enforced)');
const told = (events: InstanceEvent[]): string => events.map((e) => ` ${e.instance}: ${eventWord(e)}.`).join('');

function line({ name, colour: color, dash }: Key, data: Points) {
  const lineStyle = { color, width: dash === 'solid' ? 1.75 : 1.25, type: dash };
  return { type: 'line' as const, name, data, symbol: 'none', connectNulls: false, lineStyle, itemStyle: { color }, emphasis: { disabled: true } };
}

/** A label takes this share of the axis; deaths that follow closer go without. */
const LABEL_SHARE = 0.2;

function deaths(events: InstanceEvent[], { origin, axis: { max } }: Timeline): object[] {
  let labelled = Number.NEGATIVE_INFINITY;
  return events
    .filter((e) => e.kind !== 'restarted')
    .map((e) => {
      const at = seconds(e.at, origin);
      const hasRoom = at - labelled > LABEL_SHARE * max;
      if (hasRoom) labelled = at;
      return limitLine({ xAxis: at }, hasRoom ? `✕ ${eventWord(e)}` : '', 'var(--fail)', 'solid');
    });
}

/** Restarts stand on the axis, below the death that they answer. */
function restarts(events: InstanceEvent[], origin: number) {
  const data = events.filter((e) => e.kind === 'restarted').map((e) => [seconds(e.at, origin), 0]);
  if (data.length === 0) return [];
  return [{ type: 'scatter' as const, name: 'restart', data, symbol: 'triangle', symbolSize: 9, silent: true, itemStyle: { color: 'var(--fail)' }, z: 4 }];
}

