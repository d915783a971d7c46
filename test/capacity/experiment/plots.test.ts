import { coresFor, sharingOf } from '../../../capacity/src/experiment/cores.js';
import { picturesOf } from '../../../capacity/src/experiment/plots.js';
import type { ExperimentPlot } from '../../../capacity/src/experiment/spec.js';
import { answered, recorded } from './cells.js';

const cells = ['one', 'cluster'].flatMap((arrangement) =>
  [50, 5000].map((n) => recorded({ id: `${arrangement}-${n}`, of: { arrangement, n }, load: answered(n) })),
);
const plot = (given: Partial<ExperimentPlot>): ExperimentPlot => ({
  title: 'Rates <1 & more>',
  kind: 'bars',
  part: 'control',
  where: {},
  measure: 'rate',
  x: 'n',
  series: 'arrangement',
  log: false,
  ...given,
});
const memory = new Map([
  [
    'one-50',
    [1, 2, 3].flatMap((at) => [
      { at, pid: 7, role: 'main', mib: 100 * at },
      { at, pid: 8, role: 'k6', mib: 900 },
    ]),
  ],
]);

test('bars, lines and heat maps are drawn of the cells that have the figure', () => {
  const kinds = (['bars', 'lines', 'heat'] as const).map((kind) => plot({ kind }));
  const pictures = picturesOf('x', kinds, cells, new Map());
  expect(pictures.map(({ file }) => file)).toEqual(['x-1.svg', 'x-2.svg', 'x-3.svg']);
  for (const { svg } of pictures) {
    expect(svg).toMatch(/^<svg /);
    expect(svg).toContain('Rates &lt;1 &amp; more&gt;');
    expect(svg).toContain('cluster');
  }
});

test('a plot without a figure is left out, and keeps the names of the others', () => {
  const pictures = picturesOf('x', [plot({ measure: 'payload' }), plot({})], cells, new Map());
  expect(pictures.map(({ file }) => file)).toEqual(['x-2.svg']);
});

test('curves of memory leave out what is not asked about; the same record is the same picture', () => {
  const draw = () => picturesOf('x', [plot({ kind: 'memory', title: 'Memory' })], cells, memory)[0]!.svg;
  expect(draw()).toContain('main');
  expect(draw()).not.toContain('k6');
  expect(draw()).toBe(draw());
});

test.each([
  [1, undefined],
  [2, undefined],
  [4, { k6: '0', others: '1-3' }],
  [16, { k6: '0-3', others: '4-15' }],
])('of %i cores k6 has its own where there are enough', (count, cores) => {
  expect(coresFor(count)).toEqual(cores);
});

test('the record says what shared what', () => {
  expect(sharingOf(2, coresFor(2))).toMatch(/shared 2 cores/);
  expect(sharingOf(8, coresFor(8))).toMatch(/^k6 had the cores 0-1 of 8, everything else the cores 2-7/);
});
