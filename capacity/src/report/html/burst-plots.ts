import type { Component } from '../../model/events.js';
import type { BurstReport } from '../../model/reports.js';
import type { RecordedRun } from '../../record/recorder.js';
import { axis, BASE, clockAxis, limitLine, line, marks, niceCeil, type Key, type Plot, type Points } from './plot.js';
import { maximum, presentValues } from './series.js';

/** One second of a burst; values that were not read in it are undefined. */
export interface BurstSecond {
  /** Seconds since the measured part began. */
  at: number;
  sent?: number;
  answered?: number;
  /** Executions that ended, per second. */
  completed?: number;
  backlog?: number;
  /** Ready pods. */
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

/** Components whose pods were counted. */
export const scaledComponents = (seconds: BurstSecond[]): Component[] => [
  ...new Set(seconds.flatMap(({ ready }) => Object.keys(ready) as Component[])),
];

/** Requests and executions, backlog, latency, and pods where they were counted, over the time of a burst. */
export function burstPlots(seconds: BurstSecond[], report: BurstReport): Plot[] {
  const { baseLevel, peak } = report;
  const of = (value: (s: BurstSecond) => number | undefined): Points => seconds.map((s) => [s.at, value(s) ?? null]);
  const plot = makePlotter(seconds, report);
  const pods = scaledComponents(seconds).map((component, i): [Key, Points] => [
    { name: component, colour: `var(--series-${i + 1})`, dash: 'solid' },
    of((s) => s.ready[component]),
  ]);
  return [
    plot({
      title: 'Requests and executions',
      y: 'per second',
      unit: 'perSecond',
      series: [
        [{ name: 'offered', colour: 'var(--offered)', dash: 'dotted' }, of((s) => s.sent)],
        [{ name: 'answered', colour: 'var(--answered)', dash: 'solid' }, of((s) => s.answered)],
        [{ name: 'completed', colour: 'var(--completed)', dash: 'solid' }, of((s) => s.completed)],
      ],
      note: 'Requests are counted in the second in which they were sent, executions in the second in which they ended.',
    }),
    plot({
      title: 'Backlog',
      y: 'executions',
      unit: 'count',
      series: [[{ name: 'backlog', colour: 'var(--waiting)', dash: 'solid' }, of((s) => s.backlog)]],
      lines: [limitLine({ yAxis: baseLevel }, `base level ${baseLevel}`, 'var(--muted)')],
      note: peak && `Highest: ${peak.executions}, ${peak.seconds.toFixed(0)} s after the spike began.`,
    }),
    plot({
      title: 'Median latency per second',
      y: 'latency',
      unit: 'duration',
      series: [[{ name: 'p50', colour: 'var(--p95)', dash: 'solid' }, of((s) => s.p50)]],
      note: 'Above the service time, of the requests that were sent in that second.',
    }),
    ...(pods.length === 0
      ? []
      : [plot({ title: 'Ready pods', y: 'pods', unit: 'count', series: pods, note: undefined })]),
  ];
}

interface Drawing {
  title: string;
  /** Name of the vertical axis. */
  y: string;
  unit: Plot['units']['y'];
  series: [Key, Points][];
  lines?: object[];
  note: string | undefined;
}

/** Draws over the time of the burst, with its spike shaded. */
function makePlotter(seconds: BurstSecond[], { phases }: BurstReport): (drawing: Drawing) => Plot {
  const spike = phases.find(({ name }) => name === 'spike')!;
  const xAxis = clockAxis('time', Math.max(1, seconds.length));
  const band = [
    {
      name: 'spike',
      xAxis: spike.from,
      itemStyle: { color: 'var(--band)' },
      label: { position: 'insideTop', distance: 3, fontSize: 10, color: 'var(--muted)' },
    },
    { xAxis: spike.to },
  ];
  return ({ title, y, unit, series, lines = [], note }) => {
    const values = series.flatMap(([, points]) => presentValues(points));
    return {
      title,
      alternative: `${title} over the ${seconds.length} seconds of the burst; the spike lasts from second ${spike.from} to ${spike.to}. Highest: ${Number(maximum(values).toPrecision(3))} ${y}.`,
      ...(note !== undefined && { note }),
      keys: series.map(([key]) => key),
      units: { x: 'clock', y: unit },
      option: {
        ...BASE,
        xAxis,
        yAxis: axis(y, 0, niceCeil(maximum(values) * 1.08)),
        series: [marks(lines, [band]), ...series.map(([key, points]) => line(key, points))],
      },
    };
  };
}
