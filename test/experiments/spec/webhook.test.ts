import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { experimentsFolder } from '../../../experiments/src/paths.js';
import { cellFile, cellFolder, readCells } from '../../../experiments/src/record/folder.js';
import { expandCells, isMatch } from '../../../experiments/src/spec/cells.js';
import { readExperiment } from '../../../experiments/src/spec/read.js';
import { createCellRecord } from '../recorded.js';

const cells = expandCells(readExperiment(join(experimentsFolder, 'memory-over-time.yaml')), 'quick');
const cell = (part: string, of: Record<string, string>) =>
  cells.find((one) => isMatch({ part: one.part.part, of: one.of }, { part, ...of }))!;

test.each([
  ['one', { workload: 'webhook-ack' }, 2.1],
  ['one', { workload: 'webhook-v1.json' }, 1],
  ['own', { workload: 'webhook-ack' }, 1],
  ['control', { server: 'bare' }, undefined],
])('%s %j drives version %s of the Webhook node', (part, of, version) => {
  expect(cell(part, of).webhook).toBe(version);
});

test('readCells leaves out a record of version 1 if the cell drives version 2.1', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'records-'));
  const asked = cell('one', { workload: 'webhook-ack' });
  const { id, digest, of } = asked;
  const write = async (webhook?: number) => {
    await mkdir(cellFolder(folder, asked), { recursive: true });
    const record = createCellRecord({ id, digest, of, part: 'one', ...(webhook !== undefined && { webhook }) });
    await writeFile(cellFile(folder, asked), JSON.stringify(record));
    return (await readCells([asked], folder)).length;
  };
  expect([await write(), await write(1), await write(2.1)]).toEqual([0, 0, 1]);
});
