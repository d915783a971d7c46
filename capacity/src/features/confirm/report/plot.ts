import { formatRate } from '../../../core/formats.js';
import type { ConfirmedLoad, ConfirmRecord, ConfirmTry } from '../record.js';
import { OUTCOME_VERDICTS, OUTCOME_WORDS } from './words.js';
import {
  axis,
  BASE,
  categoryAxis,
  limitLine,
  marks,
  niceCeil,
  stepShape,
  type Key,
  type Plot,
} from '../../../report/html/plot.js';
import { maximum } from '../../../report/html/series.js';

type Outcome = ConfirmTry['outcome'];

const COLOURS: Record<Outcome, string> = {
  held: 'var(--pass)',
  broken: 'var(--fail)',
  open: 'var(--inconclusive)',
};

/** A rate that was tried. */
interface Point {
  run: string;
  rate: number;
  outcome: Outcome;
}

/** The rates that were tried, run by run, with the target and the interval of the capacity. */
export function triesPlot(load: ConfirmedLoad, record: ConfirmRecord): Plot {
  const points = collectPoints(load, record);
  const { target, withHeadroom, capacity } = load;
  const top = niceCeil(maximum([...points.map((p) => p.rate), withHeadroom, capacity.high ?? 0]) * 1.1);
  const shown = (['held', 'broken', 'open'] as const).filter((o) => points.some((p) => p.outcome === o));
  return {
    title: 'Rates that were tried',
    alternative: `Arrival rates that were tried of ${load.load}, run by run: ${shown.map((o) => `${points.filter((p) => p.outcome === o).length} ${OUTCOME_WORDS[o]}`).join(', ')}. The table shows the same. ${load.conclusion}.`,
    note: 'The band is the 90 % interval of the capacity, from all these tries; before: tries of the record that is confirmed.',
    keys: shown.map((o): Key => ({ name: OUTCOME_WORDS[o], colour: COLOURS[o], dash: 'solid' })),
    units: { x: 'name', y: 'perSecond' },
    option: {
      ...BASE,
      xAxis: categoryAxis('', [...new Set(points.map((p) => p.run))]),
      yAxis: axis('arrivals per second', 0, top),
      series: [
        marks(
          [
            labelAtRight(limitLine({ yAxis: target }, `target ${formatRate(target)}`, 'var(--muted)')),
            ...(withHeadroom > target
              ? [
                  labelAtRight(
                    limitLine({ yAxis: withHeadroom }, `with headroom ${formatRate(withHeadroom)}`, 'var(--muted)'),
                  ),
                ]
              : []),
          ],
          capacityBand(capacity, top),
        ),
        ...shown.map((outcome) => ({
          type: 'scatter' as const,
          name: OUTCOME_WORDS[outcome],
          data: points.filter((p) => p.outcome === outcome).map((p) => [p.run, p.rate]),
          ...stepShape(OUTCOME_VERDICTS[outcome], COLOURS[outcome]),
          z: 3,
          emphasis: { disabled: true },
        })),
      ],
    },
  };
}

/** Tries of the record stand at the left. */
const labelAtRight = (line: ReturnType<typeof limitLine>) => ({
  ...line,
  label: { ...line.label, position: 'insideEndTop' },
});

function collectPoints({ load, tries, soak, withHeadroom }: ConfirmedLoad, { before }: ConfirmRecord): Point[] {
  const earlier = before.filter((b) => b.load === load);
  const soaked: Record<string, Outcome> = { PASS: 'held', FAIL: 'broken' };
  return [
    ...earlier.map(({ rate, held }): Point => ({ run: 'before', rate, outcome: held ? 'held' : 'broken' })),
    ...tries.map(({ deployment, rate, outcome }): Point => ({ run: `deployment ${deployment}`, rate, outcome })),
    ...(soak ? [{ run: 'soak', rate: withHeadroom, outcome: soaked[soak.verdict] ?? 'open' }] : []),
  ];
}

/** An interval without an end reaches the edge of the plot. */
const capacityBand = ({ low, high }: ConfirmedLoad['capacity'], top: number): object[][] =>
  low === undefined && high === undefined
    ? []
    : [[{ yAxis: low ?? 0, itemStyle: { color: 'var(--band)' } }, { yAxis: high ?? top }]];
