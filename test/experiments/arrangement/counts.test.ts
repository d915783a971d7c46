import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withRequestCounter, readCounts } from '../../../experiments/src/arrangement/counts.js';

test('withRequestCounter keeps the existing options of NODE_OPTIONS', () => {
  const given = withRequestCounter({ NODE_OPTIONS: '--max-old-space-size=512', A: 'b' }, '/counts');
  expect(given).toMatchObject({ A: 'b', COUNT_FOLDER: '/counts' });
  expect(given.NODE_OPTIONS).toMatch(/^--max-old-space-size=512 --require ".*count-requests\.cjs"$/);
  expect(withRequestCounter({}, '/counts').NODE_OPTIONS).toMatch(/^--require "/);
});

test('readCounts returns the counts by process id', async () => {
  const counts = mkdtempSync(join(tmpdir(), 'counts-'));
  writeFileSync(join(counts, '12'), '345');
  writeFileSync(join(counts, 'other'), 'x');
  expect(await readCounts(counts)).toEqual(new Map([[12, 345]]));
});
