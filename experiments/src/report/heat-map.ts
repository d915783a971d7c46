import type { EChartsOption } from 'echarts';
import { cellNumber, cellText, MEASURES } from '../judge/measures.js';
import type { CellRecord } from '../record/schema.js';
import type { ExperimentPlot } from '../spec/schema.js';
import { AXIS, FRAME, NOTE_HEIGHT, titleOption, type Drawing } from './drawing.js';

const NOT_HELD = '#d9d9d9';

/** A heat map with a field for each pair of values of two dimensions. A cell without a figure shows its failure instead. */
export function heatMap(plot: ExperimentPlot, cells: CellRecord[]): Drawing {
  const valuesOf = (dimension: string) => [...new Set(cells.map((cell) => String(cell.of[dimension])))];
  const [across, down] = [valuesOf(plot.x!), valuesOf(plot.series!)];
  const fields = cells.map((cell) => {
    const value = cellNumber(plot.measure!, cell);
    const place = [across.indexOf(String(cell.of[plot.x!])), down.indexOf(String(cell.of[plot.series!]))];
    return { place, value, label: value === undefined ? brokenText(cell) : MEASURES[plot.measure!]!.text(value) };
  });
  const values = fields.flatMap(({ value }) => value ?? []);
  const head = 56 + (plot.note ? NOTE_HEIGHT : 0);
  const option: EChartsOption = {
    ...FRAME,
    ...titleOption(plot.title, plot.note),
    grid: { left: 110, right: 20, top: head, bottom: 44 },
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
      // The scale spans at least a factor of two, so that small differences do not get strong colours.
      max: Math.max(...values, 2 * Math.min(...values)),
      inRange: { color: ['#e3f1e7', '#f2c14e'] },
    },
    series: [
      {
        type: 'heatmap',
        data: fields.map(({ place, value, label }) => ({
          value: [...place, value ?? Math.min(...values)],
          label: { formatter: label },
          itemStyle: { borderColor: '#fff', borderWidth: 2, ...(value === undefined && { color: NOT_HELD }) },
          ...(value === undefined && { visualMap: false }),
        })),
        label: { show: true, color: '#222', fontSize: 11 },
      },
    ],
  };
  return { option, width: 760, height: head + 44 + 52 * down.length };
}

function brokenText(cell: CellRecord): string {
  const [held, dropped] = [cellText('held', cell), cellText('dropped', cell)];
  return dropped === '–' || dropped === '0' ? held : `does not hold: ${dropped} dropped`;
}
