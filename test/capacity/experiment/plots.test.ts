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
  [[0], undefined],
  [[0, 1], undefined],
  [[2, 3, 6, 7], { k6: '2', others: '3,6,7' }],
  [[0, 1, 2, 3, 4, 5, 6, 7], { k6: '0,1', others: '2,3,4,5,6,7' }],
])('of the cores %j k6 has its own where there are enough', (allowed, cores) => {
  expect(coresFor(allowed)).toEqual(cores);
});

test('the record says what shared what', () => {
  expect(sharingOf(undefined, 2)).toMatch(/shared 2 cores/);
  expect(sharingOf({ k6: '0', others: '1,2,3' })).toMatch(
    /^k6 had the cores 0, everything else on this machine the cores 1,2,3/,
  );
});
