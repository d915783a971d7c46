import type { EChartsOption } from 'echarts';
import { median } from 'simple-statistics';
import { cellNumber, cellText, MEASURES } from '../judge/measures.js';
import type { CellRecord } from '../record/schema.js';
import { webhookOf } from '../spec/cells.js';
import type { ExperimentPart, ExperimentPlot } from '../spec/schema.js';
import { AXIS, COLOURS, FRAME, NOTE_HEIGHT, titleOption, valueAxis, type Drawing } from './drawing.js';

const [WIDTH, HEIGHT] = [760, 340];
const MAX_LABELS = 24;

/** A bar or line chart of a measure over the values of one dimension, with one series per value of another. */
export function categoryPlot(plot: ExperimentPlot, cells: CellRecord[], parts: ExperimentPart[]): Drawing {
  const { x, series, measure, kind, log, note } = plot;
  const { title, text } = MEASURES[measure!]!;
  const names = distinctValues(cells, x);
  const all = distinctValues(cells, series);
  const at = (name: string, value: string) =>
    cells.filter((c) => dimensionValue(c, x) === name && dimensionValue(c, series) === value);
  const top = (all.length > 1 ? 76 : 56) + (note ? NOTE_HEIGHT : 0);
  /** The title of a part, without a remark in brackets at its end. */
  const shortTitle = (part: string) => (parts.find((p) => p.part === part)?.title ?? part).replace(/ \(.*\)$/, '');
  const option: EChartsOption = {
    ...FRAME,
    ...titleOption(plot.title, note),
    legend: {
      show: all.length > 1,
      top: 26 + (note ? NOTE_HEIGHT : 0),
      left: 0,
      icon: 'roundRect',
      itemWidth: 14,
      itemGap: 24,
      textStyle: AXIS,
    },
    grid: { left: 64, right: 16, top, bottom: x === 'part' ? 64 : 44 },
    xAxis: {
      type: 'category',
      data: x === 'part' ? names.map(shortTitle) : names,
      name: x === 'part' ? '' : (x ?? ''),
      nameLocation: 'middle',
      nameGap: 28,
      axisLabel: { ...AXIS, interval: 0, overflow: 'break', width: (WIDTH - 90) / names.length - 24 },
      nameTextStyle: AXIS,
    },
    yAxis: {
      ...valueAxis(title),
      axisLabel: { ...AXIS, formatter: (value: number) => text(value) },
      type: log ? 'log' : 'value',
    },
    series: all.map((value, i) => ({
      type: kind === 'lines' ? ('line' as const) : ('bar' as const),
      name: series === undefined ? '' : `${series === 'webhook' ? 'Webhook node version' : series} ${value}`,
      data: names.map((name) => medianPoint(plot, at(name, value))),
      itemStyle: { color: COLOURS[i % COLOURS.length]! },
      barMaxWidth: 42,
      barMinHeight: 1,
      symbolSize: 7,
      label: {
        show: kind === 'bars' && names.length * all.length <= MAX_LABELS,
        position: 'top' as const,
        fontSize: 10,
        color: '#444',
        formatter: ({ value: shown }: { value: unknown }) => text(Number(shown)),
      },
    })),
  };
  return { option, width: WIDTH, height: HEIGHT + (note ? NOTE_HEIGHT : 0) };
}

/** The value of a cell in a dimension. `part` and `webhook` count as dimensions; without a dimension it is empty. */
const dimensionValue = (cell: CellRecord, dimension: string | undefined): string => {
  if (dimension === undefined) return '';
  if (dimension === 'part') return cell.part;
  return String(dimension === 'webhook' ? webhookOf(cell) : cell.of[dimension]);
};

const distinctValues = (cells: CellRecord[], dimension: string | undefined): string[] => [
  ...new Set(cells.map((cell) => dimensionValue(cell, dimension))),
];

/** The median of the runs. If a run is INCONCLUSIVE, a bar is labelled so and a line has a gap. */
function medianPoint({ measure, kind, log }: ExperimentPlot, cells: CellRecord[]) {
  const values = cells.flatMap((cell) => cellNumber(measure!, cell) ?? []);
  const disturbed = cells.some((cell) => cellText(measure!, cell) === 'INCONCLUSIVE');
  if (disturbed && kind === 'lines') return null;
  if (!disturbed) return values.length === 0 ? null : median(values);
  return {
    value: log ? 1 : 0,
    itemStyle: { color: 'transparent' },
    label: {
      formatter: 'INCONCLUSIVE',
      rotate: 90,
      align: 'left' as const,
      verticalAlign: 'middle' as const,
      color: '#888',
    },
  };
}
