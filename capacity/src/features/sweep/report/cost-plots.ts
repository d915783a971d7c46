import { formatSeconds, formatOverhead, formatRate } from '../../../core/formats.js';
import type { SweepRow } from '../record.js';
import { describeConfiguration } from '../plan/configurations.js';
import { html, type Html } from '../../../report/markup.js';
import { STATUS_WORDS } from './words.js';
import {
  axis,
  BASE,
  CROSS,
  limitLine,
  logAxis,
  marks,
  niceCeil,
  type Key,
  type Plot,
} from '../../../report/html/plot.js';
import { maximum } from '../../../report/html/series.js';
import { highestCommonLoad, type SweepReport } from './facts.js';

/** A configuration as a point of a plot against cost. */
interface Point {
  row: SweepRow;
  y: number;
}

const FRONT: Key = { name: 'front', colour: 'var(--answered)', dash: 'solid' };
const OTHERS: Key = { name: 'others', colour: 'var(--muted)', dash: 'dotted' };

/** Cost against the sustained rate, with the Pareto front as a line; undefined if no rate was sustained. */
export function paretoPlot({ record, conclusion }: SweepReport): Plot | undefined {
  const points = conclusion.rows.flatMap((row): Point[] =>
    row.capacity === undefined ? [] : [{ row, y: row.capacity }],
  );
  if (points.length === 0) return undefined;
  const missed = missedPoints(record.target, conclusion.rows);
  const front = points.filter((p) => p.row.onFront).sort((a, b) => cost(a) - cost(b));
  const all = [...points, ...missed];
  const { currency } = record.plan.prices;
  return {
    title: 'Cost against sustained rate',
    alternative: `Cost per hour against the sustained rate. On the Pareto front, cheapest first: ${front.map((p) => `${describeConfiguration(p.row)} with ${formatRate(p.y)}`).join('; ')}. The table of configurations shows the same numbers.`,
    note: `The line is the Pareto front: the highest rate for each cost.${frontNotes(conclusion.rows, missed.length > 0)}`,
    keys: [FRONT, OTHERS],
    units: { x: 'count', y: 'perSecond' },
    tips: tooltipsByCost(all, currency, ({ row, y }) =>
      row.capacity === undefined
        ? `misses ${formatRate(y)}`
        : `${row.status === 'dominated' ? 'at least ' : ''}${formatRate(y)}`,
    ),
    option: {
      ...BASE,
      xAxis: costAxis(all, currency),
      yAxis: axis('sustained per second', 0, niceCeil(maximum(all.map((p) => p.y)) * 1.1)),
      series: [
        {
          type: 'line',
          name: FRONT.name,
          step: 'end',
          data: front.map((p) => [cost(p), p.y]),
          symbol: 'none',
          lineStyle: { color: FRONT.colour, width: 2 },
          itemStyle: { color: FRONT.colour },
          emphasis: { disabled: true },
        },
        scatter(OTHERS, [...points.filter((p) => !p.row.onFront), ...missed], conclusion.cheapest?.id),
        scatter(FRONT, front, conclusion.cheapest?.id),
      ],
    },
  };
}

/** Cost against latency at the target; undefined without a target, and if no step could be judged. */
export function latencyByCost(report: SweepReport): Plot | undefined {
  const { record, conclusion } = report;
  const common = record.target === undefined ? undefined : highestCommonLoad(report);
  if (!common) return undefined;
  const points = conclusion.rows.flatMap((row): Point[] =>
    row.cost && common.p99.has(row.id) ? [{ row, y: Math.max(SHORTEST_SECONDS, common.p99.get(row.id)!) }] : [],
  );
  const key: Key = { name: `p99 at ${common.at}`, colour: 'var(--p99)', dash: 'solid' };
  const objective = record.plan.measure.slo.p99;
  const { currency } = record.plan.prices;
  const values = [...points.map((p) => p.y), ...(objective === undefined ? [] : [objective])];
  return {
    title: 'Cost against latency at the target',
    alternative: `Cost per hour against the 99th percentile of latency at ${common.at}, of ${points.length} configurations.`,
    note: 'Above the service time, on a logarithmic scale. ✕: misses the target.',
    keys: [key],
    units: { x: 'count', y: 'duration' },
    tips: tooltipsByCost(points, currency, ({ y }) => formatOverhead(y)),
    option: {
      ...BASE,
      xAxis: costAxis(points, currency),
      yAxis: logAxis('p99', values),
      series: [
        marks(
          objective === undefined
            ? []
            : [limitLine({ yAxis: objective }, `p99 objective ${formatSeconds(objective)}`, 'var(--fail)')],
          [],
        ),
        scatter(key, points, conclusion.cheapest?.id),
      ],
    },
  };
}

/** Shorter latencies are drawn at this value: a logarithm has no 0. */
const SHORTEST_SECONDS = 0.001;

const cost = ({ row }: Point): number => row.cost!.perHour;

/** Configurations that missed the target, as points at its rate. */
const missedPoints = (target: number | undefined, rows: SweepRow[]): Point[] =>
  target === undefined
    ? []
    : rows.flatMap((row) => (row.status === 'misses' && row.capacity === undefined ? [{ row, y: target }] : []));

const costAxis = (points: Point[], currency: string) =>
  axis(`${currency} per hour`, 0, niceCeil(maximum(points.map(cost)) * 1.05), { side: 'x' });

function scatter({ name, colour }: Key, points: Point[], cheapest: string | undefined) {
  const data = points.map((point) => ({
    value: [cost(point), point.y],
    ...(point.row.id === cheapest ? CHEAPEST : pointShape(point.row, colour)),
  }));
  return { type: 'scatter' as const, name, data, z: 3, emphasis: { disabled: true } };
}

const CHEAPEST = {
  symbol: 'diamond',
  symbolSize: 15,
  itemStyle: { color: 'var(--pass)', borderColor: 'var(--surface)', borderWidth: 1 },
  label: { show: true, formatter: 'cheapest that held', position: 'top' as const, color: 'var(--pass)', fontSize: 11 },
};

function pointShape({ status, onFront }: SweepRow, colour: string) {
  if (status === 'misses') return { symbol: CROSS, symbolSize: 10, itemStyle: { color: 'var(--fail)' } };
  const hollow = { color: 'var(--page)', borderColor: colour, borderWidth: 1.5 };
  if (status === 'dominated') return { symbol: 'triangle', symbolSize: 9, itemStyle: hollow };
  return { symbol: 'circle', symbolSize: 8, itemStyle: onFront || status === 'meets' ? { color: colour } : hollow };
}

function frontNotes(rows: SweepRow[], hasMissed: boolean): string {
  const none = rows.filter((r) => (r.status === 'measured' || r.status === 'dominated') && r.capacity === undefined);
  const absent = rows.filter((r) => r.status === 'ruled-out' || r.status === 'excluded' || r.status === 'open');
  return [
    rows.some((r) => r.status === 'dominated') ? ' △: stopped early; sustains at least this rate.' : '',
    hasMissed ? ' ✕: does not sustain the target.' : '',
    none.length > 0 ? ` Not drawn, because no tested rate was sustained: ${configurationNumbers(none)}.` : '',
    absent.length > 0 ? ` Not drawn, because not measured: ${configurationNumbers(absent)}.` : '',
  ].join('');
}

const configurationNumbers = (rows: SweepRow[]): string => rows.map(({ id }) => /^\d+/.exec(id)?.[0] ?? id).join(', ');

/** Tooltips by cost: the configurations at that cost. */
function tooltipsByCost(points: Point[], currency: string, text: (point: Point) => string): Record<string, Html> {
  const byCost = new Map<number, Point[]>();
  for (const point of points) byCost.set(cost(point), [...(byCost.get(cost(point)) ?? []), point]);
  return Object.fromEntries(
    [...byCost].map(([at, same]) => [
      String(at),
      html`<strong>${at.toFixed(3)} ${currency} per hour</strong>${same.map(
          (point) =>
            html`<div class="tip">
              <span>${describeConfiguration(point.row)} (${STATUS_WORDS[point.row.status]})</span
              ><span><b>${text(point)}</b></span>
            </div>`,
        )}`,
    ]),
  );
}
