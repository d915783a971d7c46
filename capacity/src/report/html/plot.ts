import type { Verdict } from '../../model/verdict.js';
import type { EChartsOption } from 'echarts';
import type { Html } from '../markup.js';
import { FONT } from './style.js';

/** Unit of an axis; the page's script formats numbers by these names. */
export type Unit = 'name' | 'perSecond' | 'duration' | 'clock' | 'mebibytes' | 'cores' | 'count' | 'share';

/** An entry of a plot's key; its button shows and hides the series of that name. */
export interface Key {
  name: string;
  colour: string;
  dash: 'solid' | 'dashed' | 'dotted';
}

/** A plot as plain data, for ECharts and the page's script. */
export interface Plot {
  title: string;
  /** The content of the plot for a reader who cannot see it. */
  alternative: string;
  /** How to read it, under the plot. */
  note?: string;
  keys: Key[];
  units: { x: Unit; y: Unit };
  /** Tooltips by the value of x; undefined for the usual list of series. */
  tips?: Record<string, Html>;
  /** Height in pixels; undefined: that of all plots. */
  height?: number;
  option: EChartsOption;
}

/** A cross, as an SVG path. */
export const CROSS = 'path://M0,2L2,0L5,3L8,0L10,2L7,5L10,8L8,10L5,7L2,10L0,8L3,5Z';

const TEXT = { color: 'var(--muted)', fontSize: 11, fontFamily: FONT };

/** Options of every plot. Colours are custom properties of the page, so that a plot follows its theme, also in print. */
export const BASE = {
  animation: false,
  textStyle: { fontFamily: FONT },
  legend: { show: false },
  grid: { left: 4, right: 12, top: 30, bottom: 24, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
  tooltip: {
    trigger: 'axis',
    confine: true,
    className: 'tooltip',
    backgroundColor: 'var(--surface)',
    borderColor: 'var(--line-strong)',
    padding: [8, 12],
    textStyle: { color: 'var(--text)', fontSize: 12, fontFamily: FONT },
    axisPointer: { type: 'line', snap: true, lineStyle: { color: 'var(--muted)', type: 'solid' } },
  },
} satisfies EChartsOption;

/** The point of a step. Verdicts differ by shape, not by colour alone. */
export function stepShape(verdict: Verdict, colour: string) {
  if (verdict === 'PASS')
    return {
      symbol: 'circle',
      symbolSize: 7,
      itemStyle: { color: colour, borderColor: 'var(--surface)', borderWidth: 1 },
    };
  if (verdict === 'FAIL') return { symbol: CROSS, symbolSize: 10, itemStyle: { color: 'var(--fail)' } };
  return {
    symbol: 'triangle',
    symbolSize: 9,
    itemStyle: { color: 'var(--page)', borderColor: 'var(--inconclusive)', borderWidth: 1.5 },
  };
}

/** A numeric axis; its name stands below x or above y. */
export function axis(name: string, min: number, max: number, more: { type?: 'value' | 'log'; side?: 'x' | 'y' } = {}) {
  const { type = 'value', side = 'y' } = more;
  return {
    type,
    min,
    max,
    name,
    nameLocation: side === 'x' ? ('middle' as const) : ('end' as const),
    nameGap: side === 'x' ? 26 : 12,
    nameTextStyle: { ...TEXT, align: side === 'x' ? ('center' as const) : ('left' as const) },
    axisLabel: { ...TEXT, hideOverlap: true },
    axisTick: { show: false },
    axisLine: { show: side === 'x', lineStyle: { color: 'var(--line-strong)' } },
    splitLine: { show: side === 'y', lineStyle: { color: 'var(--line)' } },
    minorSplitLine: { show: false },
  };
}

/** A logarithmic axis over whole decades that include 1; the values must be above 0. */
export function logAxis(name: string, values: number[]) {
  const lowest = values.reduce((a, b) => Math.min(a, b), 1);
  const highest = values.reduce((a, b) => Math.max(a, b), 1);
  return axis(name, decade(lowest, Math.floor), decade(highest * 1.01, Math.ceil), { type: 'log' });
}

const decade = (value: number, round: (x: number) => number): number =>
  Number((10 ** round(Math.log10(value))).toPrecision(1));

/** An axis of names. */
export const categoryAxis = (name: string, names: string[]) => ({
  type: 'category' as const,
  name,
  nameLocation: 'middle' as const,
  nameGap: 26,
  nameTextStyle: TEXT,
  data: names,
  axisLabel: { ...TEXT, hideOverlap: true },
  axisTick: { show: false },
  axisLine: { lineStyle: { color: 'var(--line-strong)' } },
});

/** Intervals between the labels of a clock, in seconds. */
const CLOCK_INTERVALS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400];
const MAX_LABELS = 7;

/** A time axis from 0 with labels at round times; no label at its end unless that is one. */
export function clockAxis(name: string, seconds: number) {
  const interval = CLOCK_INTERVALS.find((i) => seconds / i <= MAX_LABELS) ?? CLOCK_INTERVALS.at(-1)!;
  const plain = axis(name, 0, seconds, { side: 'x' });
  return { ...plain, interval, axisLabel: { ...plain.axisLabel, showMaxLabel: seconds % interval === 0 } };
}

/** A line at a limit, with its label inside the plot. */
export function limitLine(
  at: { xAxis: number } | { yAxis: number },
  label: string,
  colour: string,
  dash: Key['dash'] | number[] = 'dashed',
) {
  const isVertical = 'xAxis' in at;
  return {
    ...at,
    lineStyle: { color: colour, type: dash, width: 1 },
    label: {
      formatter: label,
      color: colour,
      fontSize: 11,
      position: isVertical ? ('end' as const) : ('insideStartTop' as const),
    },
  };
}

/** Points of a series; null is a gap. */
export type Points = [x: number, value: number | null][];

/** A series as a line without symbols. */
export function line({ name, colour: color, dash }: Key, data: Points) {
  const lineStyle = { color, width: dash === 'solid' ? 1.75 : 1.25, type: dash };
  return {
    type: 'line' as const,
    name,
    data,
    symbol: 'none',
    connectNulls: false,
    lineStyle,
    itemStyle: { color },
    emphasis: { disabled: true },
  };
}

/** Lines, areas and triangles that belong to no series. */
export const marks = (lines: object[], areas: object[][], triangles: object[] = []) => ({
  type: 'line' as const,
  name: 'marks',
  data: [],
  silent: true,
  markLine: { symbol: 'none', silent: true, animation: false, data: lines as never[] },
  markPoint: {
    symbol: 'triangle',
    symbolSize: 9,
    silent: true,
    animation: false,
    itemStyle: { color: 'var(--fail)' },
    label: { show: false },
    data: triangles as never[],
  },
  markArea: { silent: true, animation: false, data: areas as never[] },
});

/** The next round number that divides an axis evenly. */
export function niceCeil(value: number): number {
  if (value <= 0) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((m) => m * magnitude >= value * (1 - 1e-9))! * magnitude;
}
