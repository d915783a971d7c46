import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { readFaults, withFaults } from '../../bench/faults/document.js';
import { FAULTS } from '../../capacity/src/features/faults/record.js';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'docs/faults.md');
const records = join(root, 'bench/results/faults');
const page = readFileSync(file, 'utf8');

test('docs/faults.md is rendered from the records with the current judge', async () => {
  const names = existsSync(records) ? readdirSync(records).sort() : [];
  const runs = names.map((name) => readFaults(join(records, name)));
  const options = { ...(await resolveConfig(file)), parser: 'markdown' };
  expect(await format(withFaults(page, runs), options)).toBe(page);
});

test('the page describes every fault', () => {
  const described = [...page.matchAll(/^\| `([a-z-]+)`/gm)].map(([, name]) => name);
  expect(described).toEqual([...FAULTS]);
});
