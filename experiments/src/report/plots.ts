import * as echarts from 'echarts';
import type { EChartsOption } from 'echarts';
import { median } from 'simple-statistics';
import { cellNumber, MEASURES } from '../judge/measures.js';
import type { MemoryPoint } from '../record/memory-csv.js';
import type { CellRecord } from '../record/schema.js';
import { fits } from '../spec/cells.js';
import type { ExperimentPlot } from '../spec/schema.js';
import { AXIS, COLOURS, FRAME, titled, valueAxis, type Drawing } from './drawing.js';
import { memoryPlot } from './memory-plots.js';

/** A picture on a page. */
export interface Picture {
  /** Name of the SVG file, without its folder. */
  file: string;
  title: string;
  svg: string;
}

/** The plots of an experiment, from its records; a plot without a figure is left out. */
export function picturesOf(
  name: string,
  plots: ExperimentPlot[],
  cells: CellRecord[],
  memory: Map<string, MemoryPoint[]>,
): Picture[] {
  return plots.flatMap((plot, i) => {
    const found = cells.filter((cell) => fits(cell, { part: plot.part, ...plot.where }));
    const drawn = found.length === 0 ? undefined : drawingOf(plot, found, memory);
    if (!drawn) return [];
    return [{ file: `${name}-${i + 1}.svg`, title: plot.title, svg: svgOf(drawn) }];
  });
}

function drawingOf(plot: ExperimentPlot, cells: CellRecord[], memory: Map<string, MemoryPoint[]>): Drawing | undefined {
  if (plot.kind === 'memory' || plot.kind === 'processes') return memoryPlot(plot, cells, memory);
  if (!cells.some((cell) => cellNumber(plot.measure ?? '', cell) !== undefined)) return undefined;
  return plot.kind === 'heat' ? heatMap(plot, cells) : categories(plot, cells);
}

/** ECharts numbers its elements over the life of a process; they are renumbered, so that the same plot is the same text. */
function svgOf({ option, width, height }: Drawing): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption({ ...option, animation: false });
  const svg = chart.renderToSVGString();
  chart.dispose();
  const names = new Map<string, string>();
  const renamed = svg.replace(/zr\d+-[a-z]+-?\d+/g, (name) => {
    if (!names.has(name)) names.set(name, `e${names.size}`);
    return names.get(name)!;
  });
  return `${renamed}\n`;
}

const valuesOf = (cells: CellRecord[], dimension: string | undefined): string[] => [
  ...new Set(cells.map((cell) => (dimension === undefined ? '' : String(cell.of[dimension])))),
];

/** Bars, or lines, of a measure over the values of one dimension, with a series for each value of another. */
function categories(plot: ExperimentPlot, cells: CellRecord[]): Drawing {
  const { x, series, measure, kind, log } = plot;
  const { title, text } = MEASURES[measure!]!;
  const names = valuesOf(cells, x);
  const all = valuesOf(cells, series);
  const at = (name: string, value: string) =>
    cells.filter((c) => String(c.of[x ?? '']) === name && (series === undefined || String(c.of[series]) === value));
  const option: EChartsOption = {
    ...FRAME,
    ...titled(plot.title),
    legend: { show: all.length > 1, top: 26, left: 0, icon: 'roundRect', itemWidth: 14, itemGap: 24, textStyle: AXIS },
    grid: { left: 64, right: 16, top: all.length > 1 ? 76 : 56, bottom: 44 },
    xAxis: {
      type: 'category',
      data: names,
      name: x ?? '',
      nameLocation: 'middle',
      nameGap: 28,
      axisLabel: AXIS,
      nameTextStyle: AXIS,
    },
    yAxis: { ...valueAxis(title), axisLabel: { ...AXIS, formatter: text }, type: log ? 'log' : 'value' },
    series: all.map((value, i) => ({
      type: kind === 'lines' ? ('line' as const) : ('bar' as const),
      name: series === undefined ? '' : `${series} ${value}`,
      data: names.map((name) => figure(measure!, at(name, value))),
      itemStyle: { color: COLOURS[i % COLOURS.length]! },
      barMaxWidth: 42,
      symbolSize: 7,
      label: {
        show: kind === 'bars' && names.length * all.length <= 24,
        position: 'top' as const,
        fontSize: 10,
        color: '#444',
        formatter: ({ value: shown }: { value: unknown }) => text(Number(shown)),
      },
    })),
  };
  return { option, width: 760, height: 340 };
}

/** The median of several runs of a cell. */
function figure(measure: string, cells: CellRecord[]): number | null {
  const values = cells.flatMap((cell) => cellNumber(measure, cell) ?? []);
  return values.length === 0 ? null : median(values);
}

function heatMap(plot: ExperimentPlot, cells: CellRecord[]): Drawing {
  const [across, down] = [valuesOf(cells, plot.x), valuesOf(cells, plot.series)];
  const { text } = MEASURES[plot.measure!]!;
  const data = cells.flatMap((cell) => {
    const value = cellNumber(plot.measure!, cell);
    return value === undefined
      ? []
      : [[across.indexOf(String(cell.of[plot.x!])), down.indexOf(String(cell.of[plot.series!])), value]];
  });
  const values = data.map((d) => d[2]!);
  const option: EChartsOption = {
    ...FRAME,
    ...titled(plot.title),
    grid: { left: 110, right: 20, top: 56, bottom: 44 },
    xAxis: {
      type: 'category',
      data: across,
      name: plot.x!,
      nameLocation: 'middle',
      nameGap: 28,
      axisLabel: AXIS,
      nameTextStyle: AXIS,
    },
    yAxis: { type: 'category', data: down.map((value) => `${plot.series} ${value}`), axisLabel: AXIS },
    visualMap: {
      show: false,
      min: Math.min(...values),
      max: Math.max(...values),
      inRange: { color: ['#eef4fb', '#f2c14e', '#d1495b'] },
    },
    series: [
      {
        type: 'heatmap',
        data,
        label: { show: true, color: '#222', fontSize: 11, formatter: ({ value }) => text((value as number[])[2]!) },
        itemStyle: { borderColor: '#fff', borderWidth: 2 },
      },
    ],
  };
  return { option, width: 760, height: 90 + 52 * down.length };
}
