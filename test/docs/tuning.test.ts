import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { readTuning, withTunings } from '../../bench/tuning/document.js';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'docs/tuning.md');
const records = join(root, 'bench/results/tuning');

test('docs/tuning.md is rendered from the records', async () => {
  const names = existsSync(records) ? readdirSync(records).sort() : [];
  const tunings = names.map((name) => readTuning(join(records, name)));
  const page = readFileSync(file, 'utf8');
  const options = { ...(await resolveConfig(file)), parser: 'markdown' };
  expect(await format(withTunings(page, tunings), options)).toBe(page);
});
