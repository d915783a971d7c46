import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cellPlan, cellValues, processesOf } from '../../../capacity/src/experiment/cell-plan.js';
import { cellsOf, fits, type Cell } from '../../../capacity/src/experiment/cells.js';
import { readExperiment, type Experiment } from '../../../capacity/src/experiment/spec.js';
import { experimentsFolder } from '../../../capacity/src/core/paths.js';
import { renderChart } from '../../../capacity/src/chart/render.js';
import { terminalProgress } from '../../../capacity/src/core/progress.js';
import { ensureHelm } from '../../../capacity/src/tools/go-tools.js';
import { stringify } from 'yaml';

const read = (name: string): Experiment => readExperiment(join(experimentsFolder, `${name}.yaml`));
const cell = (name: string, of: Cell['of'], part: string): Cell =>
  cellsOf(read(name), 'full').find((c) => fits({ part: c.part.part, of: c.of }, { part, ...of }))!;
const planOf = async (of: Cell) => cellPlan(of, await mkdtemp(join(tmpdir(), 'cell-')));

const NAMES = [
  'heap-size',
  'execution-process',
  'queue-mode',
  'process-scaling',
  'right-size',
  'load-balancing',
  'memory-over-time',
];

test.each(NAMES)('%s: every cell of both grids has a plan, and an id of its own', async (name) => {
  for (const grid of ['quick', 'full'] as const) {
    const cells = cellsOf(read(name), grid);
    expect(new Set(cells.map(({ id }) => id)).size).toBe(cells.length);
    for (const one of cells) expect((await planOf(one)).loads).toHaveLength(1);
  }
});

test.each(NAMES)('%s: each claim is about cells of the quick grid', (name) => {
  const experiment = read(name);
  const cells = cellsOf(experiment, 'quick').map(({ part, of }) => ({ part: part.part, of }));
  for (const { says, of, over } of experiment.claims)
    for (const filter of over ? [of, over] : [of])
      expect({ says, cells: cells.filter((one) => fits(one, filter)).length }).not.toEqual({ says, cells: 0 });
});

test("a heap that is set by hand switches the chart's rule off", () => {
  expect(cellValues(cell('heap-size', { nodeHeap: 512, memory: '1024Mi', n8n: '2.41.1' }, 'main'))).toMatchObject({
    image: { tag: '2.41.1' },
    heap: { enabled: false },
    extraEnv: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=512' }],
    main: { resources: { limits: { cpu: '2', memory: '1024Mi' } } },
  });
  expect(cellValues(cell('heap-size', { memory: '1024Mi' }, 'rule'))).not.toHaveProperty('heap');
});

test('processes that share a port are one pod, the others a pod each', () => {
  const replicas = (arrangement: string) =>
    (cellValues(cell('process-scaling', { arrangement }, 'n8n')) as { webhook: { replicas: number } }).webhook.replicas;
  expect(replicas('cluster')).toBe(1);
  expect(replicas('nginx')).toBe(2);
  expect(processesOf({ of: { arrangement: 'one' } })).toMatchObject({ processes: 1 });
});

test('clients, waits and payloads come from the file', async () => {
  const wait = await planOf(cell('queue-mode', { workers: 4, concurrency: 20 }, 'wait'));
  expect(wait.rates).toEqual({ kind: 'closed', clients: 160 });
  expect(wait.loads[0]!.serviceSeconds).toEqual({ 'webhook-wait': 3 });
  const hold = await planOf(cell('heap-size', {}, 'main'));
  expect(hold.rates).toMatchObject({ kind: 'payload-limit', concurrency: [1], rungs: expect.arrayContaining([1024]) });
  const count = await planOf(cell('process-scaling', { n: 5000 }, 'control'));
  expect(count.scriptEnv).toMatchObject({ WEBHOOK_PATH: '/webhook/count?n=5000', PAUSE: '0' });
});

test('the chart takes the values of every cell of the quick grids', async () => {
  const helm = await ensureHelm(terminalProgress(true));
  const folder = await mkdtemp(join(tmpdir(), 'cells-'));
  const cells = NAMES.flatMap((name) => cellsOf(read(name), 'quick')).filter(({ part }) => part.on !== 'control');
  const texts = new Set(cells.map((one) => stringify(cellValues(one))));
  for (const [i, text] of [...texts].entries()) {
    const file = join(folder, `${i}.yaml`);
    await writeFile(file, text);
    await renderChart(helm, { files: [file], set: [] });
  }
});

test('an arrangement that does not exist is refused', () => {
  expect(() => processesOf({ of: { arrangement: 'clusters' } })).toThrow(
    /clusters: does not exist. Allowed are one, turns/,
  );
});

test.each([
  [
    'a part',
    'part: control, n: 50',
    'part: controls, n: 50',
    /the claim ".*": part "controls" does not exist; did you mean "control"\?/,
  ],
  [
    'a dimension',
    'x: n, series',
    'x: m, series',
    /the plot ".*": dimension of control "m" does not exist; did you mean "n"\?/,
  ],
  ['a measure', 'measure: rate', 'measure: rats', /claims\.0\.measure: must be one of outcome, /],
  ['a key', 'atLeast:', 'atleast:', /unknown key "claims\.0\.atleast"/],
])('%s that does not exist is refused', async (_, right, wrong, message) => {
  const file = join(await mkdtemp(join(tmpdir(), 'spec-')), 'x.yaml');
  const text = `
name: x
title: X
question: x
setting: x
origin: x
today: x
chart: x
parts:
  - part: control
    title: X
    on: control
    load: { webhook: /webhook/count, clients: 1 }
    dimensions: { n: [50, 60], server: [bare] }
    measures: [rate]
plots: [{ title: X, kind: bars, part: control, measure: rate, x: n, series: server }]
claims:
  - { says: x, measure: rate, of: { part: control, n: 50 }, atLeast: 1 }
`;
  await writeFile(file, text);
  expect(readExperiment(file).name).toBe('x');
  const last = text.lastIndexOf(right);
  const broken = last < 0 ? text : text.slice(0, last) + wrong + text.slice(last + right.length);
  await writeFile(file, broken);
  expect(() => readExperiment(file)).toThrow(message);
});
