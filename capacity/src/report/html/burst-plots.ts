import type { BurstReport } from '../../model/reports.js';
import type { BurstSecond } from './burst-seconds.js';
import { most, present } from './facts.js';
import { axis, BASE, clockAxis, limitLine, line, marks, niceCeil, type Key, type Plot, type Points } from './plot.js';

/** Requests and executions, backlog, latency, and (where it could change) the scale of a burst, over one clock. */
export function burstPlots(seconds: BurstSecond[], report: BurstReport): Plot[] {
  const { baseLevel, peak } = report;
  const of = (value: (s: BurstSecond) => number | undefined): Points => seconds.map((s) => [s.at, value(s) ?? null]);
  const plot = plotter(seconds, report);
  const components = [...new Set(seconds.flatMap(({ ready }) => Object.keys(ready) as (keyof typeof ready)[]))];
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
      note: 'A request counts in the second in which it was sent, an execution in that in which it ended.',
    }),
    plot({
      title: 'Backlog',
      y: 'executions',
      unit: 'count',
      series: [[{ name: 'backlog', colour: 'var(--waiting)', dash: 'solid' }, of((s) => s.backlog)]],
      lines: [limitLine({ yAxis: baseLevel }, `base level ${baseLevel}`, 'var(--muted)')],
      note: peak && `At most ${peak.executions}, ${peak.seconds.toFixed(0)} s after the spike began.`,
    }),
    plot({
      title: 'Median latency of each second',
      y: 'latency',
      unit: 'duration',
      series: [[{ name: 'p50', colour: 'var(--p95)', dash: 'solid' }, of((s) => s.p50)]],
      note: 'Above the service time, of the requests that were sent in that second.',
    }),
    ...(components.length === 0
      ? []
      : [
          plot({
            title: 'Pods that take requests',
            y: 'pods',
            unit: 'count',
            series: components.map((component, i) => [
              { name: component, colour: `var(--series-${i + 1})`, dash: 'solid' },
              of((s) => s.ready[component]),
            ]),
            note: 'Ready, as Kubernetes says it.',
          }),
        ]),
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

/** Draws over the clock of the burst, with its spike shaded. */
function plotter(seconds: BurstSecond[], { phases }: BurstReport): (drawing: Drawing) => Plot {
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
    const values = series.flatMap(([, points]) => present(points));
    return {
      title,
      alternative: `${title} over the ${seconds.length} seconds of the burst; the spike is from second ${spike.from} to ${spike.to}. At most ${Number(most(values).toPrecision(3))} ${y}.`,
      ...(note !== undefined && { note }),
      keys: series.map(([key]) => key),
      units: { x: 'clock', y: unit },
      option: {
        ...BASE,
        xAxis,
        yAxis: axis(y, 0, niceCeil(most(values) * 1.08)),
        series: [marks(lines, [band]), ...series.map(([key, points]) => line(key, points))],
      },
    };
  };
}
