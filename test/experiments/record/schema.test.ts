import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pagesFolder } from '../../../experiments/src/paths.js';
import { cellRecordSchema, experimentRecordSchema } from '../../../experiments/src/record/schema.js';
import { closedLoad, EXPERIMENTS, createCellRecord } from '../recorded.js';

test.each(EXPERIMENTS)('%s: the schema reads the published record unchanged', (name) => {
  const record: unknown = JSON.parse(readFileSync(join(pagesFolder, `${name}.json`), 'utf8'));
  // The records have the CPU time of processes, which no measure uses.
  const used = JSON.parse(JSON.stringify(record, (key, value: unknown) => (key === 'cpuSeconds' ? undefined : value)));
  expect(experimentRecordSchema.parse(record)).toEqual(used);
});

test('a damaged record is refused', () => {
  const cell = createCellRecord({ load: closedLoad(10) });
  expect(cellRecordSchema.safeParse(cell).success).toBe(true);
  expect(cellRecordSchema.safeParse({ ...cell, tookSeconds: '20' }).success).toBe(false);
  expect(cellRecordSchema.safeParse({ ...cell, events: undefined }).success).toBe(false);
});
