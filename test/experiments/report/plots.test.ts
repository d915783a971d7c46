import { picturesOf } from '../../../experiments/src/report/plots.js';
import type { ExperimentPlot } from '../../../experiments/src/spec/schema.js';
import { answered, recorded } from '../recorded.js';

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

test('memory curves leave out k6 and the databases; the same record gives the same picture', () => {
  const draw = () => picturesOf('x', [plot({ kind: 'memory', title: 'Memory' })], cells, memory)[0]!.svg;
  expect(draw()).toContain('main');
  expect(draw()).not.toContain('k6');
  expect(draw()).toBe(draw());
});
