import { format, percent } from '../../../core/formats.js';
import type { Estimate, Prediction, ScalabilityFit } from '../../../stats/scalability.js';
import { most } from '../facts.js';
import type { Figures } from '../figure.js';
import { html, type Html } from '../html.js';
import { axis, BASE, limitLine, marks, niceCeil, type Key, type Plot, type Points } from '../plot.js';
import type { SweepReport } from './facts.js';
import { curve, scalings, type Scaling } from './scalability.js';

type Fitted = Scaling & { fit: ScalabilityFit };
const isFitted = (scaling: Scaling): scaling is Fitted => !('refused' in scaling.fit);

/** How capacity grows with workers: a plot a series, and the coefficients and predictions of all as a table. */
export function scalabilitySection({ record, conclusion }: SweepReport, figures: Figures): Html | undefined {
  const all = scalings(record, conclusion.rows);
  if (all.length === 0) return undefined;
  const fitted = all.filter(isFitted);
  return html`
    <section aria-labelledby="scalability">
      <h2 id="scalability">Scalability</h2>
      <p class="reading">
        Universal Scalability Law (Gunther): X(N) = λN / (1 + σ(N − 1) + κN(N − 1)). λ: capacity of one. σ: contention,
        the share of the work that waits for what all share. κ: coherency, what each pair costs.
      </p>
      ${
        fitted.length > 0 &&
        html`${coefficientTable(fitted)}
          <p class="warning">${warning(fitted)}</p>`
      }
      <div class="pair">${fitted.map((scaling) => figures.figure(scalabilityPlot(scaling)))}</div>
      ${all.filter((s) => !isFitted(s)).map(refusal)}
    </section>
  `;
}

const nameOf = ({ fixed, dimension }: Scaling): string => fixed || `all ${dimension}`;

const refusal = (scaling: Scaling): Html =>
  html`<p class="reading">
    <b>${nameOf(scaling)}</b>: no curve, since ${'refused' in scaling.fit && scaling.fit.refused}.${leftOut(scaling)}
  </p>`;

const leftOut = ({ left, dimension }: Scaling): string =>
  left.length === 0 ? '' : ` Left out, of ${dimension}: ${left.join(', ')}.`;

/** What the farthest prediction of each series must be read with; series of the same range share it. */
function warning(fitted: Fitted[]): string {
  const warnings = new Set(fitted.flatMap(({ fit }) => fit.predictions.at(-1)?.warning ?? []));
  return [...warnings].map((text) => `${text[0]!.toUpperCase()}${text.slice(1)}.`).join(' ');
}

function coefficientTable(fitted: Fitted[]): Html {
  const { predictions } = fitted[0]!.fit;
  const ahead = ['Twice as many', 'Four times as many'].slice(0, predictions.length);
  return html`
    <div class="scroll" role="region" tabindex="0" aria-label="Coefficients and predictions">
      <table class="estimates">
        <caption>
          <div>
            In brackets: 95 % intervals; of a rate to come, where one measurement would lie. Scatter: standard deviation
            of the measured rates around the law. Peak: past so many the rate falls; the interval is that of the number.
          </div>
        </caption>
        <thead>
          <tr>
            <th scope="col" class="text">Series</th>
            ${['λ, per second', 'σ', 'κ', 'Scatter', 'Peak', ...ahead].map((h) => html`<th scope="col">${h}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${fitted.map(
            (scaling) =>
              html`<tr>
                <th scope="row">${nameOf(scaling)}</th>
                <td>${estimate(scaling.fit.lambda, format)}</td>
                <td>${estimate(scaling.fit.sigma, three)}</td>
                <td>${estimate(scaling.fit.kappa, three)}</td>
                <td>
                  ${scaling.fit.scatter === undefined ? 'unknown' : percent(Number(scaling.fit.scatter.toPrecision(2)))}
                </td>
                <td>${peak(scaling.fit)}</td>
                ${scaling.fit.predictions.map((p) => html`<td>${format(p.value)}/s at ${p.workers}${range(p, format)}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}

function peak({ peak: at }: ScalabilityFit): Html | string {
  return at ? html`${format(at.rate)}/s at ${estimate(at, three)}` : 'none';
}

const estimate = (of: Estimate, text: (value: number) => string): Html => html`${text(of.value)}${range(of, text)}`;

const range = ({ interval }: Estimate, text: (value: number) => string): Html | undefined =>
  interval &&
  html` <small>(${text(interval.low)} to ${interval.high === undefined ? '∞' : text(interval.high)})</small>`;

const three = (value: number): string => String(Number(value.toPrecision(3)));

const MEASURED: Key = { name: 'measured', colour: 'var(--answered)', dash: 'solid' };
const LAW: Key = { name: 'law', colour: 'var(--completed)', dash: 'solid' };
const BEYOND: Key = { name: 'law beyond what was measured', colour: 'var(--waiting)', dash: 'dashed' };

/** The points, the law through them, and what it says of twice and four times as many. */
export function scalabilityPlot(scaling: Fitted): Plot {
  const { points, fit, dimension } = scaling;
  const [least, largest] = [points[0]!.workers, points.at(-1)!.workers];
  const end = most(fit.predictions.map((p) => p.workers));
  const inside = curve(fit, least, largest);
  const beyond = curve(fit, largest, end);
  const top = most([...points.map((p) => p.rate), ...[...inside, ...beyond].map(([, rate]) => rate)]);
  // One unbounded interval would flatten everything else: what is higher is cut off.
  const ceiling = niceCeil(
    most(
      fit.predictions.map((p) => Math.min(p.interval?.high ?? 0, 2 * top)),
      top,
    ) * 1.05,
  );
  const peakAt = fit.peak && fit.peak.value <= end ? fit.peak.value : undefined;
  return {
    title: `Capacity over ${dimension}${scaling.fixed ? `, ${scaling.fixed}` : ''}`,
    alternative: `Sustained rate over ${dimension}: ${points.map((p) => `${p.workers}: ${format(p.rate)}/s`).join(', ')}. The law predicts ${fit.predictions.map((p) => `${format(p.value)}/s at ${p.workers}`).join(', ')}.`,
    note: `Dashed: extrapolated, with the interval in which one measurement would lie at ${fit.predictions.map((p) => p.workers).join(' and ')}.${peakAt === undefined ? '' : ` Vertical line: the peak, at ${three(peakAt)} ${dimension}.`}${leftOut(scaling)}`,
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
        plain(LAW, inside),
        plain(BEYOND, beyond),
        { ...plain(BEYOND, intervals(fit.predictions, ceiling)), lineStyle: { color: BEYOND.colour, width: 2 } },
        dots(
          BEYOND,
          fit.predictions.map((p) => [p.workers, p.value]),
          'emptyCircle',
        ),
        dots(
          MEASURED,
          points.map((p) => [p.workers, p.rate]),
          'circle',
        ),
      ],
    },
  };
}

const plain = ({ name, colour, dash }: Key, data: Points) => ({
  type: 'line' as const,
  name,
  data,
  symbol: 'none',
  lineStyle: { color: colour, width: 2, type: dash },
  itemStyle: { color: colour },
  emphasis: { disabled: true },
  tooltip: { show: false },
});

const dots = ({ name, colour }: Key, data: [number, number][], symbol: string) => ({
  type: 'scatter' as const,
  name,
  data,
  symbol,
  symbolSize: 9,
  z: 3,
  itemStyle: { color: colour },
  emphasis: { disabled: true },
});

/** A vertical line each, with a gap between them. */
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
