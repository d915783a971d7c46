import * as echarts from 'echarts';
import { cellNumber } from '../judge/measures.js';
import type { MemoryPoint } from '../record/memory-csv.js';
import type { CellRecord } from '../record/schema.js';
import { isMatch } from '../spec/cells.js';
import type { Experiment, ExperimentPart, ExperimentPlot } from '../spec/schema.js';
import { categoryPlot } from './category-plots.js';
import type { Drawing } from './drawing.js';
import { heatMap } from './heat-map.js';
import { memoryPlot } from './memory-plots.js';

/** A picture on a page. */
export interface Picture {
  /** Name of the SVG file, without its folder. */
  file: string;
  title: string;
  svg: string;
}

/** Draws the plots of an experiment from its records; a plot without a figure is left out. */
export function drawPictures(
  { name, plots, parts }: Pick<Experiment, 'name' | 'plots' | 'parts'>,
  cells: CellRecord[],
  memory: Map<string, MemoryPoint[]>,
): Picture[] {
  return plots.flatMap((plot, i) => {
    const found = cells.filter((cell) => isMatch(cell, { part: plot.part, ...plot.where }));
    const drawn = found.length === 0 ? undefined : createDrawing(plot, found, parts, memory);
    if (!drawn) return [];
    return [{ file: `${name}-${i + 1}.svg`, title: plot.title, svg: renderSvg(drawn) }];
  });
}

function createDrawing(
  plot: ExperimentPlot,
  cells: CellRecord[],
  parts: ExperimentPart[],
  memory: Map<string, MemoryPoint[]>,
): Drawing | undefined {
  if (plot.kind === 'memory' || plot.kind === 'processes') return memoryPlot(plot, cells, parts, memory);
  const figures = cells.filter((cell) => cellNumber(plot.measure ?? '', cell) !== undefined);
  // A line needs two points.
  if (figures.length < (plot.kind === 'lines' ? 2 : 1)) return undefined;
  return plot.kind === 'heat' ? heatMap(plot, cells) : categoryPlot(plot, cells, parts);
}

/**
 * Renders a drawing as SVG. ECharts numbers its elements across the life of a process; they are renumbered, so that the same plot
 * always gives the same text.
 */
function renderSvg({ option, width, height }: Drawing): string {
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
