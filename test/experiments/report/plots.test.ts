import type { MemoryPoint } from '../../../experiments/src/record/memory-csv.js';
import { findDeaths } from '../../../experiments/src/report/memory-marks.js';
import { drawPictures } from '../../../experiments/src/report/plots.js';
import type { ExperimentPlot } from '../../../experiments/src/spec/schema.js';
import { closedLoad, createCellRecord } from '../recorded.js';

const cells = ['one', 'cluster'].flatMap((arrangement) =>
  [50, 5000].map((n) => createCellRecord({ id: `${arrangement}-${n}`, of: { arrangement, n }, load: closedLoad(n) })),
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
  limits: false,
  ...given,
});
const draw = (plots: ExperimentPlot[], drawn = cells, curves = new Map<string, MemoryPoint[]>()) =>
  drawPictures({ name: 'x', plots, parts: [] }, drawn, curves);
const memory = new Map([
  [
    'one-50',
    [1, 2, 3].flatMap((at) => [
      { at, pid: 7, role: 'main', mib: 100 * at },
      { at, pid: 8, role: 'k6', mib: 900 },
    ]),
  ],
]);

test('drawPictures draws bars, lines and heat maps from the cells that have the figure', () => {
  const kinds = (['bars', 'lines', 'heat'] as const).map((kind) => plot({ kind }));
  const pictures = draw(kinds);
  expect(pictures.map(({ file }) => file)).toEqual(['x-1.svg', 'x-2.svg', 'x-3.svg']);
  for (const { svg } of pictures) {
    expect(svg).toMatch(/^<svg /);
    expect(svg).toContain('Rates &lt;1 &amp; more&gt;');
    expect(svg).toContain('cluster');
  }
});

test('drawPictures leaves out a plot without a figure, and the other files keep their names', () => {
  const pictures = draw([plot({ measure: 'payload' }), plot({})]);
  expect(pictures.map(({ file }) => file)).toEqual(['x-2.svg']);
});

test('memory curves leave out k6 and the databases; the same record gives the same picture', () => {
  const curves = () => draw([plot({ kind: 'memory', title: 'Memory' })], cells, memory)[0]!.svg;
  expect(curves()).toContain('main');
  expect(curves()).not.toContain('k6');
  expect(curves()).toBe(curves());
});

test('a bar is labelled INCONCLUSIVE without a figure if k6 was at its limit', () => {
  const disturbed = createCellRecord({
    of: { arrangement: 'one', n: 50 },
    load: { ...closedLoad(78_395), k6CpuShare: 0.804 },
  });
  const [bars] = draw([plot({})], [disturbed, ...cells.slice(1)]);
  expect(bars!.svg).toContain('INCONCLUSIVE');
  expect(bars!.svg).not.toContain('>7840<');
});

test('a line has a gap where a cell is INCONCLUSIVE, and does not fall to 0', () => {
  const disturbed = createCellRecord({
    of: { arrangement: 'one', n: 50 },
    load: { ...closedLoad(78_395), k6CpuShare: 0.804 },
  });
  const svgOf = (all: typeof cells) => draw([plot({ kind: 'lines' })], all)[0]!.svg;
  const marks = (svg: string) => svg.match(/<path/g)!.length;
  expect(marks(svgOf([disturbed, ...cells.slice(1)]))).toBeLessThan(marks(svgOf(cells)));
});

test('a heat map shows dropped requests instead of a p99', () => {
  const load = { ...closedLoad(128), dropped: 52, asked: 6, clients: undefined };
  const held = { ...closedLoad(180), asked: 6, clients: undefined };
  const [heat] = draw(
    [plot({ kind: 'heat', measure: 'p99' })],
    [
      createCellRecord({ of: { arrangement: 'one', n: 50 }, load }),
      createCellRecord({ of: { arrangement: 'one', n: 5000 }, load: held }),
    ],
  );
  expect(heat!.svg).toContain('does not hold: 52 of 180 dropped');
  expect(heat!.svg.match(/900 ms/g)).toHaveLength(1);
});

test('memory plots show the limits, and each death at the end of its process', () => {
  const cell = createCellRecord({
    id: 'one-50',
    of: { memory: '768Mi', nodeHeap: 512 },
    payload: { survivedMb: 128, brokeMb: 256, limit: 'V8HeapLimit' },
    events: [{ at: 1, instance: 'n8n-tuned-main-0', kind: 'died', reason: 'V8HeapLimit' }],
  });
  const curves = plot({ kind: 'memory', limits: true, x: undefined, series: undefined });
  const { svg } = draw([curves], [cell], memory)[0]!;
  for (const text of ['container 768', 'heap 512', 'V8HeapLimit at 256 MB']) expect(svg).toContain(text);
  expect(draw([{ ...curves, limits: false }], [cell], memory)[0]!.svg).not.toContain('container 768');
});

test('findDeaths places the n-th death of a role at the end of its n-th curve, and ignores forked copies', () => {
  const died = (at: number) => ({
    at,
    instance: 'n8n-tuned-main-0',
    kind: 'died' as const,
    reason: 'OOMKilled' as const,
  });
  const points = [
    { at: 1, pid: 1, role: 'main', mib: 200 },
    { at: 5, pid: 1, role: 'main', mib: 300 },
    { at: 5, pid: 2, role: 'main', mib: 60 },
    { at: 9, pid: 3, role: 'main', mib: 280 },
  ];
  const curves = [{ role: 'main', data: [] }];
  expect(findDeaths(createCellRecord({ events: [died(0), died(4)] }), points, curves)).toEqual([
    { at: 5, value: 300, reason: 'OOMKilled' },
    { at: 9, value: 280, reason: 'OOMKilled' },
  ]);
});
