import { formatSeconds } from '../../../core/formats.js';
import type { Slo } from '../../../model/plan.js';
import type { LoadVerdict } from '../../../model/verdict.js';
import { answeredRate } from '../../../judge/sustained.js';
import { axis, BASE, limitLine, logAxis, marks, niceCeil, type Key, type Plot } from '../../../report/html/plot.js';
import { lineAndPoints, points, SHORTEST_SECONDS, type Point } from '../../../report/html/rate-plots.js';
import { maximum } from '../../../report/html/series.js';

/** A load of both runs. */
export type Pair = [a: LoadVerdict, b: LoadVerdict];

const KEYS: Key[] = [
  { name: 'A', colour: 'var(--series-1)', dash: 'solid' },
  { name: 'B', colour: 'var(--series-2)', dash: 'solid' },
];

/** The 95th percentile of both runs against the arrival rate, with A's objective. */
export function plotLatencies(pair: Pair, slo: Slo): Plot {
  const series = pair.map(({ steps }) =>
    points(
      steps.filter(({ step }) => step.summary.latency),
      ({ step }) => Math.max(SHORTEST_SECONDS, step.summary.latency!.p95),
    ),
  );
  const objective =
    slo.p95 === undefined
      ? []
      : [limitLine({ yAxis: slo.p95 }, `p95 objective of A ${formatSeconds(slo.p95)}`, 'var(--muted)')];
  const values = [...series.flat().map((p) => p.value), ...(slo.p95 === undefined ? [] : [slo.p95])];
  return plotPair(pair, series, {
    title: 'p95 against arrival rate',
    alternative: `95th percentile of the latency of ${pair[0].load} above the service time, of both runs, against the arrival rate.`,
    note: 'Above the service time, on a logarithmic scale. Where a rate was repeated, the line shows the median.',
    unit: 'duration',
    yAxis: logAxis('latency', values),
    lines: objective,
  });
}

/** Correct answers per second of both runs against the arrival rate. */
export function plotAnsweredRates(pair: Pair): Plot {
  const series = pair.map(({ steps }) => points(steps, ({ step }) => answeredRate(step)));
  return plotPair(pair, series, {
    title: 'Answered against arrival rate',
    alternative: `Requests of ${pair[0].load} answered per second in both runs, against the arrival rate.`,
    note: 'Requests that were sent in the measured part, however late the answer came.',
    unit: 'perSecond',
    yAxis: axis('per second', 0, niceCeil(maximum(series.flat().map((p) => p.value)) * 1.05)),
    lines: [],
  });
}

interface Drawing extends Pick<Plot, 'title' | 'alternative'> {
  note: string;
  unit: Plot['units']['y'];
  yAxis: object;
  lines: object[];
}

function plotPair(pair: Pair, series: Point[][], { title, alternative, note, unit, yAxis, lines }: Drawing): Plot {
  const highest = niceCeil(maximum(pair.flatMap(({ steps }) => steps.map(({ step }) => step.rate ?? 0))) * 1.05);
  const capacities = pair.flatMap(({ capacity }, i) =>
    capacity === undefined ? [] : [limitLine({ xAxis: capacity }, KEYS[i]!.name, KEYS[i]!.colour)],
  );
  return {
    title,
    alternative,
    note: `${note} Vertical lines: the capacities.`,
    keys: KEYS,
    units: { x: 'perSecond', y: unit },
    option: {
      ...BASE,
      xAxis: axis('arrival rate', 0, highest, { side: 'x' }),
      yAxis,
      series: [marks([...capacities, ...lines], []), ...KEYS.flatMap((key, i) => lineAndPoints(key, series[i]!))],
    },
  };
}
