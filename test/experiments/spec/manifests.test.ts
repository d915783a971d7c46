import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { experimentsFolder } from '../../../experiments/src/paths.js';
import { cellFile, cellFolder, readCells } from '../../../experiments/src/record/folder.js';
import { cellPlan } from '../../../experiments/src/measure/cell-plan.js';
import { expandCells, type Cell } from '../../../experiments/src/spec/cells.js';
import { MANIFESTS_VARIABLE } from '../../../experiments/src/spec/manifests.js';
import { readExperiment } from '../../../experiments/src/spec/read.js';
import { createCellRecord } from '../recorded.js';

const charts = readExperiment(join(experimentsFolder, 'charts.yaml'));
const before = process.env[MANIFESTS_VARIABLE];
afterEach(() => {
  delete process.env[MANIFESTS_VARIABLE];
  if (before !== undefined) process.env[MANIFESTS_VARIABLE] = before;
});

/** A cell of another chart whose manifests have the given content. */
async function cell(content?: string, experiment = charts): Promise<Cell> {
  const folder = await mkdtemp(join(tmpdir(), 'manifests-'));
  if (content !== undefined) await writeFile(join(folder, '8gears.yaml'), content);
  process.env[MANIFESTS_VARIABLE] = folder;
  return expandCells(experiment, 'quick').find(({ of }) => of.chart === '8gears')!;
}

test('readCells leaves out records of different or unknown manifests', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'records-'));
  const asked = await cell('kind: Deployment');
  await mkdir(cellFolder(folder, asked), { recursive: true });
  const found = async (manifests?: string) => {
    const { id, digest, of, part } = asked;
    const record = { id, digest, of, part: part.part, ...(manifests !== undefined && { manifests }) };
    await writeFile(cellFile(folder, asked), JSON.stringify(createCellRecord({ ...record, webhook: asked.webhook! })));
    return (await readCells([asked], folder)).length;
  };
  expect(await found(asked.manifests)).toBe(1);
  expect(await found((await cell('kind: StatefulSet')).manifests)).toBe(0);
  expect(await found()).toBe(0);
});

test('the digest depends on the version of n8n, but not on the folder of the manifests', async () => {
  const other = { ...charts, parts: charts.parts.map((part) => ({ ...part, n8n: '2.39.10' })) };
  expect((await cell('a')).digest).toBe((await cell()).digest);
  expect((await cell('a', other)).digest).not.toBe((await cell('a')).digest);
});

test("this chart runs the part's version of n8n", async () => {
  const other = { ...charts, parts: charts.parts.map((part) => ({ ...part, n8n: '2.39.10' })) };
  const ours = expandCells(other, 'quick').find(({ of }) => of.chart === 'n8n-tuned')!;
  const folder = await mkdtemp(join(tmpdir(), 'plan-'));
  const { values } = await cellPlan(ours, folder);
  expect(await readFile(values.files[0]!, 'utf8')).toContain('tag: 2.39.10');
});

test('the error names the missing manifests', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plan-'));
  await expect(cellPlan(await cell(), folder)).rejects.toThrow(/8gears.*N8N_TUNED_MANIFESTS/);
});
