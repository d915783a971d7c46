import { formatChangeInterval, formatPercent } from '../../core/formats.js';
import type { Ratio } from '../../stats/ratio.js';
import { html } from '../markup.js';
import { axis, BASE, categoryAxis, limitLine, marks, niceCeil, type Key, type Plot } from './plot.js';

/** A change of something, with its interval. */
export interface RatioRow {
  name: string;
  ratio: Ratio;
  /** The finding in words, and its colour. */
  finding: string;
  colour: string;
}

interface RatiosPlot {
  title: string;
  /** A description of the rows, for a reader who cannot see the plot. */
  what: string;
  axisTitle: string;
  /** From the bottom to the top. */
  rows: RatioRow[];
  /** A band in which a change does not count, as a share. */
  matters?: number;
}

/** Pixels of a row, and of everything around the rows. */
const ROW_PX = 22;
const AROUND_PX = 70;

/** On a narrow screen a long name takes two lines, so that the plot keeps half of the width. */
const NARROW = {
  query: { maxWidth: 480 },
  option: { yAxis: { axisLabel: { width: 170, overflow: 'breakAll' as const, lineHeight: ROW_PX / 2 } } },
};

/** Changes with their intervals, a row for each. */
export function ratiosPlot({ title, what, axisTitle, rows, matters }: RatiosPlot): Plot {
  const far = niceCeil(Math.max(0.1, ...rows.map(({ ratio: { least, most } }) => Math.max(1 - least, most - 1))));
  const findings = [...new Map(rows.map((row) => [row.finding, row.colour]))];
  const band = matters === undefined ? '' : ` In the band a change is below ${formatPercent(matters)}.`;
  return {
    title,
    alternative: `${what}, with 95 % intervals: ${rows.map(({ name, ratio }) => `${name} ${formatChangeInterval(ratio)}`).join('; ')}. The table shows the same.`,
    note: `A point is the best estimate, a line its 95 % interval; an interval that reaches the other side of 0 leaves the direction open.${band}`,
    keys: findings.map(([name, colour]): Key => ({ name, colour, dash: 'solid' })),
    units: { x: 'share', y: 'name' },
    tips: Object.fromEntries(
      rows.map(({ name, ratio }) => [
        String(ratio.ratio - 1),
        html`<strong>${name}</strong><br />${formatChangeInterval(ratio)}`,
      ]),
    ),
    height: AROUND_PX + ROW_PX * rows.length,
    option: {
      ...BASE,
      xAxis: axis(axisTitle, -Math.min(1, far), far, { side: 'x' }),
      yAxis: {
        ...categoryAxis(
          '',
          rows.map(({ name }) => name),
        ),
        axisLine: { show: false },
      },
      media: [NARROW],
      series: [
        marks(
          [
            limitLine({ xAxis: 0 }, '', 'var(--muted)', 'solid'),
            ...rows.map(({ name, ratio, colour }) => [
              { coord: [ratio.least - 1, name], lineStyle: { color: colour, width: 1.75, type: 'solid' } },
              { coord: [ratio.most - 1, name] },
            ]),
          ],
          matters === undefined
            ? []
            : [[{ xAxis: 1 / (1 + matters) - 1, itemStyle: { color: 'var(--band)' } }, { xAxis: matters }]],
        ),
        ...findings.map(([finding, colour]) => ({
          type: 'scatter' as const,
          name: finding,
          data: rows.filter((row) => row.finding === finding).map(({ name, ratio }) => [ratio.ratio - 1, name]),
          symbol: 'circle',
          symbolSize: 8,
          itemStyle: { color: colour },
          z: 3,
          emphasis: { disabled: true },
        })),
      ],
    },
  };
}
