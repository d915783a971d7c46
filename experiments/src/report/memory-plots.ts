import type { EChartsOption } from 'echarts';
import { describeConfiguration } from 'n8n-capacity';
import type { MemoryPoint } from '../record/memory-csv.js';
import type { CellRecord } from '../record/schema.js';
import type { ExperimentPart, ExperimentPlot } from '../spec/schema.js';
import { processCountCurve, memoryCurves, type Curve } from './curves.js';
import { AXIS, COLOURS, FRAME, NOTE_HEIGHT, titleOption, valueAxis, type Drawing } from './drawing.js';
import { DEATH_COLOUR, findDeaths, describeDeaths, memoryLimits, marksSeries, type Marks } from './memory-marks.js';

const [WIDTH, HEIGHT, GAP, HEAD, LEGEND] = [250, 150, 58, 38, 26];
const ROW = HEIGHT + GAP + 28;
const MAX_COLUMNS = 3;
/** Roles that are not drawn, because no experiment asks about them. */
const HIDDEN = ['k6', 'redis', 'postgresql', 'nginx worker'];

/** The content and position of one small plot. */
interface Panel {
  title: string;
  curves: Curve[];
  marks: Marks;
  left: number;
  top: number;
}

/** One small plot per cell, all with the same axes: the memory of each process, or the number of processes. */
export function memoryPlot(
  plot: ExperimentPlot,
  cells: CellRecord[],
  parts: ExperimentPart[],
  memory: Map<string, MemoryPoint[]>,
): Drawing | undefined {
  const counts = plot.kind === 'processes';
  const note = plot.note ? NOTE_HEIGHT : 0;
  const head = HEAD + note + (counts ? 0 : LEGEND);
  const seen = cellsWithCurves(cells, memory);
  const columns = seen.length === 4 ? 2 : MAX_COLUMNS;
  const panels = seen.map(({ cell, points }, i): Panel => {
    const curves = counts ? processCountCurve(points) : memoryCurves(points);
    return {
      title: describeConfiguration({ values: differingDimensions(cell, cells) }) || cell.part,
      curves,
      marks: { deaths: findDeaths(cell, points, curves), limits: plot.limits ? memoryLimits(cell, parts) : [] },
      left: 56 + (i % columns) * (WIDTH + GAP),
      top: head + 36 + Math.floor(i / columns) * ROW,
    };
  });
  if (panels.length === 0) return undefined;
  const curves = panels.flatMap((panel) => panel.curves);
  const roles = [...new Set(curves.map(({ role }) => role))];
  const largest = (axis: 0 | 1) => Math.max(...curves.flatMap(({ data }) => data.map((point) => point[axis])));
  const highest = Math.max(largest(1), ...panels.flatMap(({ marks }) => marks.limits.map(({ mib }) => mib)));
  const option: EChartsOption = {
    ...FRAME,
    title: [titleOption(counts ? plot.title : `${plot.title} (MiB)`, plot.note).title, ...panels.map(panelTitle)],
    legend: {
      show: !counts,
      data: roles,
      top: 28 + note,
      left: 0,
      icon: 'roundRect',
      itemWidth: 14,
      itemGap: 24,
      textStyle: AXIS,
    },
    grid: panels.map(({ left, top }) => ({ left, top, width: WIDTH, height: HEIGHT })),
    xAxis: panels.map((_, gridIndex) => timeAxis(gridIndex, Math.ceil(largest(0)))),
    yAxis: panels.map((_, gridIndex) => amountAxis(gridIndex, Math.ceil(highest * HEADROOM))),
    series: panels.flatMap((panel, i) => [
      ...panel.curves.map((curve) => curveSeries(curve, i, roles)),
      marksSeries(panel.marks, i),
    ]),
  };
  const rows = Math.ceil(panels.length / columns);
  const across = Math.min(columns, panels.length);
  return { option, width: Math.max(480, 60 + across * (WIDTH + GAP)), height: head + 14 + rows * ROW };
}

/** Factor that leaves space for a label above the highest curve. */
const HEADROOM = 1.12;

/** The cells that have curves. Points without memory are left out: they are of zombie processes. */
function cellsWithCurves(cells: CellRecord[], memory: Map<string, MemoryPoint[]>) {
  return cells.flatMap((cell) => {
    const points = (memory.get(cell.id) ?? []).filter((p) => !HIDDEN.includes(p.role) && p.mib > 0);
    return points.length === 0 ? [] : [{ cell, points }];
  });
}

const panelTitle = ({ title, left, top, marks }: Panel) => ({
  text: title,
  subtext: describeDeaths(marks),
  itemGap: 3,
  left,
  top: top - 34,
  textStyle: { ...AXIS, fontWeight: 600 as const, width: WIDTH, overflow: 'truncate' as const },
  subtextStyle: { ...AXIS, color: DEATH_COLOUR, width: WIDTH, overflow: 'truncate' as const },
});

const timeAxis = (gridIndex: number, max: number) => ({
  type: 'value' as const,
  gridIndex,
  min: 0,
  max,
  axisLabel: { ...AXIS, formatter: '{value} s', hideOverlap: true, showMaxLabel: false },
  splitLine: { show: false },
});

const amountAxis = (gridIndex: number, max: number) => ({
  type: 'value' as const,
  gridIndex,
  min: 0,
  max,
  ...valueAxis(''),
  axisLabel: { ...AXIS, hideOverlap: true, showMaxLabel: false },
});

function curveSeries({ role, data }: Curve, panel: number, roles: string[]) {
  const color = COLOURS[roles.indexOf(role) % COLOURS.length]!;
  return {
    type: 'line' as const,
    name: role,
    data,
    xAxisIndex: panel,
    yAxisIndex: panel,
    symbol: 'none',
    lineStyle: { width: 1.4, color },
    itemStyle: { color },
  };
}

/** The dimensions of a cell in which the cells of a plot differ. */
function differingDimensions({ of }: CellRecord, cells: CellRecord[]): CellRecord['of'] {
  return Object.fromEntries(
    Object.entries(of).filter(([name]) => new Set(cells.map((cell) => cell.of[name])).size > 1),
  );
}
