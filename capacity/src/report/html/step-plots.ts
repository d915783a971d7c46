import type { StepRecord } from '../../model/step.js';
import { axis, BASE, clockAxis, line, niceCeil, type Key, type Plot, type Points } from './plot.js';
import { groupSeconds, maximum, presentValues } from './series.js';

/** One step second by second, for a load without a second rate to compare with. */
export function stepOverTime(load: string, step: StepRecord): [latency: Plot, throughput: Plot] {
  const { each, points: seconds } = groupSeconds(step.summary.seconds);
  const every = (valueOf: (s: (typeof seconds)[number]) => number | undefined): Points =>
    seconds.map((s) => [s.at, valueOf(s) ?? null]);
  const last = maximum(
    seconds.map((s) => s.at),
    1,
  );
  const xAxis = clockAxis('time in the step', last);
  const plot = (title: string, y: string, unit: 'duration' | 'count', keys: Key[], data: Points[]): Plot => ({
    title,
    alternative: `${title}, for ${load}, over the ${last + 1} seconds of step ${step.index + 1}.`,
    note: `Requests are counted in the second in which they were sent.${each === 1 ? '' : ` A point stands for ${each} seconds: the highest latency, the mean number of requests.`}`,
    keys,
    units: { x: 'clock', y: unit },
    option: {
      ...BASE,
      xAxis,
      yAxis: axis(y, 0, niceCeil(maximum(data.flatMap(presentValues)) * 1.05)),
      series: keys.map((key, i) => line(key, data[i]!)),
    },
  });
  const p50: Key = { name: 'p50', colour: 'var(--p95)', dash: 'solid' };
  const counts: Key[] = [
    { name: 'sent', colour: 'var(--offered)', dash: 'dotted' },
    { name: 'answered', colour: 'var(--answered)', dash: 'solid' },
    { name: 'failed', colour: 'var(--fail)', dash: 'dashed' },
  ];
  return [
    plot('Median latency per second', 'latency', 'duration', [p50], [every((s) => s.p50)]),
    plot('Requests per second', 'requests', 'count', counts, [
      every((s) => s.sent),
      every((s) => s.answered),
      every((s) => s.failed),
    ]),
  ];
}
