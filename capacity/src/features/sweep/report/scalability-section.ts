import { formatNumber, formatPercent, formatRate } from '../../../core/formats.js';
import type { Estimate, Prediction, ScalabilityFit } from '../../../stats/scalability.js';
import { html, type Html } from '../../../report/markup.js';
import type { Figures } from '../../../report/html/document.js';
import { axis, BASE, limitLine, marks, niceCeil, type Key, type Plot, type Points } from '../../../report/html/plot.js';
import { maximum } from '../../../report/html/series.js';
import { table, type HtmlColumn } from '../../../report/html/table.js';
import type { SweepReport } from './facts.js';
import { curvePoints, fitScalings, type ScalingSeries } from './scalability.js';

type Fitted = ScalingSeries & { fit: ScalabilityFit };
const isFitted = (scaling: ScalingSeries): scaling is Fitted => !('refused' in scaling.fit);

/** Capacity by number of workers: a plot for each series, and a table of coefficients and predictions. */
export function scalabilitySection({ record, conclusion }: SweepReport, figures: Figures): Html | undefined {
  const all = fitScalings(record, conclusion.rows);
  if (all.length === 0) return undefined;
  const fitted = all.filter(isFitted);
  return html`
    <section aria-labelledby="scalability">
      <h2 id="scalability">Scalability</h2>
      <p class="reading">
        Universal Scalability Law (Gunther): X(N) = λN / (1 + σ(N − 1) + κN(N − 1)). λ: capacity of one. σ: contention,
        the share of the work that waits for shared resources. κ: coherency, the cost of each pair.
      </p>
      ${
        fitted.length > 0 &&
        html`${coefficientTable(fitted)}
          <p class="warning">${predictionWarnings(fitted)}</p>`
      }
      <div class="pair">${fitted.map((scaling) => figures.figure(scalabilityPlot(scaling)))}</div>
      ${all.filter((s) => !isFitted(s)).map(refusalNote)}
    </section>
  `;
}

const seriesName = ({ fixed, dimension }: ScalingSeries): string => fixed || `all ${dimension}`;

const refusalNote = (scaling: ScalingSeries): Html =>
  html`<p class="reading">
    <b>${seriesName(scaling)}</b>: no curve, because
    ${'refused' in scaling.fit && scaling.fit.refused}.${leftOutText(scaling)}
  </p>`;

const leftOutText = ({ left, dimension }: ScalingSeries): string =>
  left.length === 0 ? '' : ` Without a point, by ${dimension}: ${left.join(', ')}.`;

/** Warnings of the farthest prediction of each series, each once. */
function predictionWarnings(fitted: Fitted[]): string {
  const warnings = new Set(fitted.flatMap(({ fit }) => fit.predictions.at(-1)?.warning ?? []));
  return [...warnings].map((text) => `${text[0]!.toUpperCase()}${text.slice(1)}.`).join(' ');
}

const PREDICTION_HEADS = ['Twice as many', 'Four times as many'];

const coefficientTable = (fitted: Fitted[]): Html =>
  table({
    label: 'Coefficients and predictions',
    className: 'estimates',
    columns: [
      { head: 'Series', isText: true, cell: seriesName },
      { head: 'λ, per second', cell: ({ fit }) => estimate(fit.lambda) },
      { head: 'σ', cell: ({ fit }) => estimate(fit.sigma) },
      { head: 'κ', cell: ({ fit }) => estimate(fit.kappa) },
      { head: 'Scatter', cell: ({ fit }) => (fit.scatter === undefined ? 'unknown' : formatPercent(fit.scatter)) },
      { head: 'Peak', cell: ({ fit }) => peak(fit) },
      ...PREDICTION_HEADS.slice(0, fitted[0]!.fit.predictions.length).map((head, i): HtmlColumn<Fitted> => ({
        head,
        cell: ({ fit }) => prediction(fit.predictions[i]!),
      })),
    ],
    rows: fitted,
    caption:
      'In brackets: 95 % intervals; for a prediction, the interval of one measurement. Scatter: standard deviation of the measured rates around the law. Peak: with more workers than this the rate falls; the interval is that of the number.',
  });

const peak = ({ peak: at }: ScalabilityFit): Html | string =>
  at ? html`${formatRate(at.rate)} at ${estimate(at)}` : 'none';

const prediction = (of: Prediction): Html => html`${formatRate(of.value)} at ${of.workers}${range(of)}`;

const estimate = (of: Estimate): Html => html`${formatNumber(of.value)}${range(of)}`;

const range = ({ interval }: Estimate): Html | undefined =>
  interval &&
  html` <small
    >(${formatNumber(interval.low)} to ${interval.high === undefined ? '∞' : formatNumber(interval.high)})</small
  >`;

const MEASURED: Key = { name: 'measured', colour: 'var(--answered)', dash: 'solid' };
const LAW: Key = { name: 'law', colour: 'var(--completed)', dash: 'solid' };
const BEYOND: Key = { name: 'law, extrapolated', colour: 'var(--waiting)', dash: 'dashed' };

/** The points, the law through them, and its predictions. */
export function scalabilityPlot(scaling: Fitted): Plot {
  const { points, fit, dimension } = scaling;
  const [least, largest] = [points[0]!.workers, points.at(-1)!.workers];
  const end = maximum(fit.predictions.map((p) => p.workers));
  const inside = curvePoints(fit, least, largest);
  const beyond = curvePoints(fit, largest, end);
  const top = maximum([...points.map((p) => p.rate), ...[...inside, ...beyond].map(([, rate]) => rate)]);
  // Cut off, because an unbounded interval would flatten the rest.
  const ceiling = niceCeil(
    maximum(
      fit.predictions.map((p) => Math.min(p.interval?.high ?? 0, 2 * top)),
      top,
    ) * 1.05,
  );
  const peakAt = fit.peak && fit.peak.value <= end ? fit.peak.value : undefined;
  return {
    title: `Capacity over ${dimension}${scaling.fixed ? `, ${scaling.fixed}` : ''}`,
    alternative: `Sustained rate over ${dimension}: ${points.map((p) => `${p.workers}: ${formatRate(p.rate)}`).join(', ')}. The law predicts ${fit.predictions.map((p) => `${formatRate(p.value)} at ${p.workers}`).join(', ')}.`,
    note: `Dashed: extrapolated, with the interval of one measurement at ${fit.predictions.map((p) => p.workers).join(' and ')}.${peakAt === undefined ? '' : ` Vertical line: the peak, at ${formatNumber(peakAt)} ${dimension}.`}${leftOutText(scaling)}`,
    keys: [MEASURED, LAW, BEYOND],
    units: { x: 'count', y: 'perSecond' },
    option: {
      ...BASE,
      xAxis: { ...axis(dimension, 0, end, { side: 'x' }), interval: largest },
      yAxis: axis('sustained per second', 0, ceiling),
      series: [
        marks(peakAt !== undefined ? [limitLine({ xAxis: peakAt }, '', 'var(--muted)')] : [], [
          [{ xAxis: largest, itemStyle: { color: 'var(--band)' } }, { xAxis: end }],
        ]),
        lawLine(LAW, inside),
        lawLine(BEYOND, beyond),
        { ...lawLine(BEYOND, intervals(fit.predictions, ceiling)), lineStyle: { color: BEYOND.colour, width: 2 } },
        scatterSeries(
          BEYOND,
          fit.predictions.map((p) => [p.workers, p.value]),
          'emptyCircle',
        ),
        scatterSeries(
          MEASURED,
          points.map((p) => [p.workers, p.rate]),
          'circle',
        ),
      ],
    },
  };
}

const lawLine = ({ name, colour, dash }: Key, data: Points) => ({
  type: 'line' as const,
  name,
  data,
  symbol: 'none',
  lineStyle: { color: colour, width: 2, type: dash },
  itemStyle: { color: colour },
  emphasis: { disabled: true },
  tooltip: { show: false },
});

const scatterSeries = ({ name, colour }: Key, data: [number, number][], symbol: string) => ({
  type: 'scatter' as const,
  name,
  data,
  symbol,
  symbolSize: 9,
  z: 3,
  itemStyle: { color: colour },
  emphasis: { disabled: true },
});

/** A vertical line for each prediction, with gaps between them. */
const intervals = (predictions: Prediction[], ceiling: number): Points =>
  predictions.flatMap(({ workers, interval }): Points =>
    interval
      ? [
          [workers, interval.low],
          [workers, Math.min(interval.high ?? ceiling, ceiling)],
          [workers, null],
        ]
      : [],
  );
