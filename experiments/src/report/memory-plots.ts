import type { EChartsOption } from 'echarts';
import { describeConfiguration } from 'n8n-capacity';
import type { MemoryPoint } from '../record/memory-csv.js';
import type { CellRecord } from '../record/schema.js';
import type { ExperimentPlot } from '../spec/schema.js';
import { AXIS, COLOURS, FRAME, titled, valueAxis, type Drawing } from './drawing.js';

const COLUMNS = 3;
const [WIDTH, HEIGHT, GAP, HEAD] = [250, 150, 48, 64];
const ROW = HEIGHT + GAP + 14;
/** Roles that no experiment asks about. */
const HIDDEN = ['k6', 'redis', 'postgresql', 'nginx worker'];

/** The content and the place of one small plot. */
interface Panel {
  title: string;
  curves: Curve[];
  left: number;
  top: number;
}

/** A small plot for each cell, on the same axes: memory of each process, or the number of processes. */
export function memoryPlot(
  plot: ExperimentPlot,
  cells: CellRecord[],
  memory: Map<string, MemoryPoint[]>,
): Drawing | undefined {
  const counts = plot.kind === 'processes';
  const panels = panelsOf(cells, memory, counts ? countCurves : memoryCurves);
  if (panels.length === 0) return undefined;
  const curves = panels.flatMap((panel) => panel.curves);
  const roles = [...new Set(curves.map(({ role }) => role))];
  const largest = (axis: 0 | 1) =>
    Math.ceil(Math.max(...curves.flatMap(({ data }) => data.map((point) => point[axis]))));
  const option: EChartsOption = {
    ...FRAME,
    title: [titled(counts ? plot.title : `${plot.title} (MiB)`).title, ...panels.map(panelTitle)],
    legend: {
      show: !counts,
      data: roles,
      top: 28,
      left: 0,
      icon: 'roundRect',
      itemWidth: 14,
      itemGap: 24,
      textStyle: AXIS,
    },
    grid: panels.map(({ left, top }) => ({ left, top, width: WIDTH, height: HEIGHT })),
    xAxis: panels.map((_, gridIndex) => timeAxis(gridIndex, largest(0))),
    yAxis: panels.map((_, gridIndex) => amountAxis(gridIndex, largest(1))),
    series: panels.flatMap((panel, i) => panel.curves.map((curve) => line(curve, i, roles))),
  };
  const rows = Math.ceil(panels.length / COLUMNS);
  const across = Math.min(COLUMNS, panels.length);
  return { option, width: Math.max(480, 60 + across * (WIDTH + GAP)), height: HEAD + 20 + rows * ROW };
}

function panelsOf(
  cells: CellRecord[],
  memory: Map<string, MemoryPoint[]>,
  curvesOf: (points: MemoryPoint[]) => Curve[],
): Panel[] {
  const seen = cells.flatMap((cell) => {
    const points = (memory.get(cell.id) ?? []).filter((p) => !HIDDEN.includes(p.role));
    return points.length === 0 ? [] : [{ cell, points }];
  });
  return seen.map(({ cell, points }, i) => ({
    title: describeConfiguration({ values: differing(cell, cells) }) || cell.part,
    curves: curvesOf(points),
    left: 56 + (i % COLUMNS) * (WIDTH + GAP),
    top: HEAD + 26 + Math.floor(i / COLUMNS) * ROW,
  }));
}

const panelTitle = ({ title, left, top }: Panel) => ({
  text: title,
  left,
  top: top - 24,
  textStyle: { ...AXIS, fontWeight: 600 as const, width: WIDTH, overflow: 'truncate' as const },
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

function line({ role, data }: Curve, panel: number, roles: string[]) {
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

interface Curve {
  role: string;
  data: [seconds: number, value: number][];
}

function memoryCurves(points: MemoryPoint[]): Curve[] {
  return [...grouped(points, (p) => p.pid).values()].map((own) => ({
    role: own[0]!.role,
    data: own.map(({ at, mib }) => [at, Math.round(mib)]),
  }));
}

function countCurves(points: MemoryPoint[]): Curve[] {
  const data = [...grouped(points, (p) => p.at)].map(([at, there]): [number, number] => [at, there.length]);
  return [{ role: 'processes', data }];
}

/** Dimensions in which the cells of a plot differ. */
function differing({ of }: CellRecord, cells: CellRecord[]): CellRecord['of'] {
  return Object.fromEntries(
    Object.entries(of).filter(([name]) => new Set(cells.map((cell) => cell.of[name])).size > 1),
  );
}

function grouped(points: MemoryPoint[], key: (point: MemoryPoint) => number): Map<number, MemoryPoint[]> {
  const groups = new Map<number, MemoryPoint[]>();
  for (const point of points) {
    const group = groups.get(key(point));
    if (group) group.push(point);
    else groups.set(key(point), [point]);
  }
  return groups;
}
