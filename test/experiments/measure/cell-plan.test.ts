import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../capacity/src/core/errors.js';
import { cellPlan, cellValues, requestedProcesses } from '../../../experiments/src/measure/cell-plan.js';
import { expandCells, isMatch, type Cell } from '../../../experiments/src/spec/cells.js';
import { readExperiment } from '../../../experiments/src/spec/read.js';
import type { Experiment } from '../../../experiments/src/spec/schema.js';
import { experimentsFolder } from '../../../experiments/src/paths.js';
import { renderChart } from '../../../capacity/src/chart/render.js';
import { terminalProgress } from '../../../capacity/src/core/progress.js';
import { ensureHelm } from '../../../capacity/src/tools/programs.js';
import { stringify } from 'yaml';
import { EXPERIMENTS } from '../recorded.js';

const readExperimentNamed = (name: string): Experiment => readExperiment(join(experimentsFolder, `${name}.yaml`));
const cell = (name: string, of: Cell['of'], part: string): Cell =>
  expandCells(readExperimentNamed(name), 'full').find((c) =>
    isMatch({ part: c.part.part, of: c.of }, { part, ...of }),
  )!;
const createPlan = async (of: Cell) => cellPlan(of, await mkdtemp(join(tmpdir(), 'cell-')));

test.each(EXPERIMENTS)('%s: every cell of both grids has a plan and a unique id', async (name) => {
  for (const grid of ['quick', 'full'] as const) {
    const cells = expandCells(readExperimentNamed(name), grid);
    expect(new Set(cells.map(({ id }) => id)).size).toBe(cells.length);
    for (const one of cells) expect((await createPlan(one)).loads).toHaveLength(1);
  }
});

test("a heap limit set by hand disables the chart's rule", () => {
  expect(cellValues(cell('heap-size', { nodeHeap: 512, memory: '1024Mi', n8n: '2.41.1' }, 'main'))).toMatchObject({
    image: { tag: '2.41.1' },
    heap: { enabled: false },
    extraEnv: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=512' }],
    main: { resources: { limits: { cpu: '2', memory: '1024Mi' } } },
  });
  expect(cellValues(cell('heap-size', { memory: '1024Mi' }, 'rule'))).not.toHaveProperty('heap');
});

test('processes that share a port are one pod; other processes have one pod each', () => {
  const replicas = (arrangement: string) =>
    (cellValues(cell('process-scaling', { arrangement }, 'n8n')) as { webhook: { replicas: number } }).webhook.replicas;
  expect(replicas('cluster')).toBe(1);
  expect(replicas('nginx')).toBe(2);
  expect(requestedProcesses({ of: { arrangement: 'one' } })).toMatchObject({ processes: 1 });
});

test('n8n is measured without the overload protection unless the cell enables it', async () => {
  const overload = (of: Cell) => (cellValues(of) as { overload: { enabled: boolean } }).overload.enabled;
  expect(overload(cell('queue-mode', { workers: 4, concurrency: 20 }, 'wait'))).toBe(false);
  const protectedCell = cell('overload', { workload: 'webhook-ack', times: 3, 'overload.enabled': true }, 'regular');
  expect(overload(protectedCell)).toBe(true);
  expect(await createPlan(protectedCell)).toMatchObject({
    overload: true,
    rates: { kind: 'closed', clients: 40, overload: 3 },
    slo: { p95: 0.8 },
  });
});

test('cellPlan takes clients, waits and payloads from the file', async () => {
  const wait = await createPlan(cell('queue-mode', { workers: 4, concurrency: 20 }, 'wait'));
  expect(wait.rates).toEqual({ kind: 'closed', clients: 160 });
  expect(wait.loads[0]!.serviceSeconds).toEqual({ 'webhook-wait': 3 });
  const hold = await createPlan(cell('heap-size', {}, 'main'));
  expect(hold.rates).toMatchObject({ kind: 'payload-limit', concurrency: [1], rungs: expect.arrayContaining([1024]) });
  const count = await createPlan(cell('process-scaling', { n: 5000 }, 'control'));
  expect(count.scriptEnv).toMatchObject({ WEBHOOK_PATH: '/webhook/count?n=5000', PAUSE: '0' });
});

test('the chart accepts the values of every cell of the quick grids', async () => {
  const helm = await ensureHelm(terminalProgress(true));
  const folder = await mkdtemp(join(tmpdir(), 'cells-'));
  const cells = EXPERIMENTS.flatMap((name) => expandCells(readExperimentNamed(name), 'quick')).filter(
    ({ part }) => part.on !== 'control',
  );
  const texts = new Set(cells.map((one) => stringify(cellValues(one))));
  for (const [i, text] of [...texts].entries()) {
    const file = join(folder, `${i}.yaml`);
    await writeFile(file, text);
    await renderChart(helm, { files: [file], set: [] });
  }
});

test('an arrangement that does not exist is refused', () => {
  expect(() => requestedProcesses({ of: { arrangement: 'clusters' } })).toThrow(UsageError);
});
