import type { EChartsOption } from 'echarts';
import { describeConfiguration } from '../plan/configurations.js';
import type { Drawing } from './plots.js';
import { AXIS, COLOURS, FRAME, titled, valueAxis } from './plot-style.js';
import type { MemoryPoint } from './process-watch.js';
import type { ExperimentPlot } from './spec.js';
import type { CellRecord } from './types.js';

const COLUMNS = 3;
const [WIDTH, HEIGHT, GAP, HEAD] = [250, 150, 48, 64];
/** Not what is asked about. */
const HIDDEN = ['k6', 'redis', 'postgresql', 'nginx worker'];

/** For each cell a small plot, on the same axes: memory of each process, or how many there are. */
export function memoryPlot(
  plot: ExperimentPlot,
  cells: CellRecord[],
  memory: Map<string, MemoryPoint[]>,
): Drawing | undefined {
  const panels = cells.flatMap((cell) => {
    const points = (memory.get(cell.id) ?? []).filter((p) => !HIDDEN.includes(p.role));
    return points.length === 0 ? [] : [{ cell, points }];
  });
  if (panels.length === 0) return undefined;
  const roles = [...new Set(panels.flatMap(({ points }) => points.map((p) => p.role)))];
  const counts = plot.kind === 'processes';
  const curves = panels.map(({ points }) => (counts ? countCurves(points) : memoryCurves(points)));
  const highest = Math.max(...curves.flat().flatMap(({ data }) => data.map(([, y]) => y)));
  const longest = Math.max(...curves.flat().flatMap(({ data }) => data.map(([x]) => x)));
  const colourOf = (role: string) => COLOURS[Math.max(0, roles.indexOf(role)) % COLOURS.length]!;
  const boxes = panels.map((_, i) => ({
    left: 56 + (i % COLUMNS) * (WIDTH + GAP),
    top: HEAD + 26 + Math.floor(i / COLUMNS) * (HEIGHT + GAP + 14),
  }));
  const option: EChartsOption = {
    ...FRAME,
    title: [
      titled(counts ? plot.title : `${plot.title} (MiB)`).title,
      ...panels.map(({ cell }, i) => ({
        text: describeConfiguration({ values: shown(cell, cells) }) || cell.part,
        left: boxes[i]!.left,
        top: boxes[i]!.top - 24,
        textStyle: { ...AXIS, fontWeight: 600 as const, width: WIDTH, overflow: 'truncate' as const },
      })),
    ],
    legend: { show: !counts, data: roles, top: 28, left: 0, icon: 'roundRect', itemWidth: 14, textStyle: AXIS },
    grid: boxes.map((box) => ({ ...box, width: WIDTH, height: HEIGHT })),
    xAxis: panels.map((_, i) => ({
      type: 'value',
      gridIndex: i,
      min: 0,
      max: Math.ceil(longest),
      axisLabel: { ...AXIS, formatter: '{value} s', hideOverlap: true },
      splitLine: { show: false },
    })),
    yAxis: panels.map((_, i) => ({
      type: 'value',
      gridIndex: i,
      min: 0,
      max: Math.ceil(highest),
      ...valueAxis(''),
      axisLabel: { ...AXIS, hideOverlap: true, showMaxLabel: false },
    })),
    series: curves.flatMap((lines, i) =>
      lines.map(({ role, data }) => ({
        type: 'line' as const,
        name: role,
        data,
        xAxisIndex: i,
        yAxisIndex: i,
        symbol: 'none',
        lineStyle: { width: 1.4, color: colourOf(role) },
        itemStyle: { color: colourOf(role) },
      })),
    ),
  };
  const rows = Math.ceil(panels.length / COLUMNS);
  const across = Math.min(COLUMNS, panels.length);
  return {
    option,
    width: Math.max(480, 60 + across * (WIDTH + GAP)),
    height: HEAD + 20 + rows * (HEIGHT + GAP + 14),
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
function shown({ of }: CellRecord, cells: CellRecord[]): CellRecord['of'] {
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
