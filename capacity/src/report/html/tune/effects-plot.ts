import { changeBetween, percent } from '../../../core/formats.js';
import type { ChangeEffect, Finding, Ratio } from '../../../model/tune.js';
import { FINDING_WORDS } from '../../words.js';
import { axis, BASE, categoryAxis, limitLine, marks, niceCeil, type Key, type Plot } from '../plot.js';
import { html } from '../../markup.js';

const COLOURS: Record<Finding, string> = {
  more: 'var(--pass)',
  less: 'var(--fail)',
  none: 'var(--muted)',
  open: 'var(--inconclusive)',
  fails: 'var(--fail)',
};
/** Height of a row, and of all that is not rows, in pixels. */
const ROW = 22;
const AROUND = 70;

type Seen = ChangeEffect & { throughput: Ratio };

/** The effect of each change on the throughput with its interval, the best on top. */
export function effectsPlot(effects: ChangeEffect[], matters: number): Plot {
  const seen = effects
    .filter((e): e is Seen => e.throughput !== undefined)
    .sort((a, b) => a.throughput.ratio - b.throughput.ratio);
  const shown = (['more', 'open', 'none', 'less'] as const).filter((f) => seen.some((e) => e.finding === f));
  const far = niceCeil(Math.max(0.1, ...seen.map(({ throughput: { least, most } }) => Math.max(1 - least, most - 1))));
  const nameOf = ({ change: { id } }: ChangeEffect) => id;
  return {
    title: 'What each change does to the throughput',
    alternative: `Change of the throughput by each setting, with 95 % intervals: ${seen.map((e) => `${nameOf(e)} ${changeBetween(e.throughput)}`).join('; ')}. The table shows the same.`,
    note: `A point is the best estimate, a line its 95 % interval; an interval that reaches the other side of 0 leaves the direction open. In the band an effect is below ${percent(matters)}.`,
    keys: shown.map((f): Key => ({ name: FINDING_WORDS[f], colour: COLOURS[f], dash: 'solid' })),
    units: { x: 'share', y: 'name' },
    tips: Object.fromEntries(
      seen.map((e) => [
        String(e.throughput.ratio - 1),
        html`<strong>${nameOf(e)}</strong><br />${changeBetween(e.throughput)}`,
      ]),
    ),
    height: AROUND + ROW * seen.length,
    option: {
      ...BASE,
      xAxis: axis('change of the throughput', -Math.min(1, far), far, { side: 'x' }),
      yAxis: { ...categoryAxis('', seen.map(nameOf)), axisLine: { show: false } },
      series: [
        marks(
          [
            limitLine({ xAxis: 0 }, '', 'var(--muted)', 'solid'),
            ...seen.map((e) => [
              {
                coord: [e.throughput.least - 1, nameOf(e)],
                lineStyle: { color: COLOURS[e.finding], width: 1.75, type: 'solid' },
              },
              { coord: [e.throughput.most - 1, nameOf(e)] },
            ]),
          ],
          [[{ xAxis: 1 / (1 + matters) - 1, itemStyle: { color: 'var(--band)' } }, { xAxis: matters }]],
        ),
        ...shown.map((finding) => ({
          type: 'scatter' as const,
          name: FINDING_WORDS[finding],
          data: seen.filter((e) => e.finding === finding).map((e) => [e.throughput.ratio - 1, nameOf(e)]),
          symbol: 'circle',
          symbolSize: 8,
          itemStyle: { color: COLOURS[finding] },
          z: 3,
          emphasis: { disabled: true },
        })),
      ],
    },
  };
}
