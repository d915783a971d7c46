import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { withForecasts } from '../../bench/forecast/document.js';
import { withTruth } from '../../bench/truth/document.js';

const root = join(import.meta.dirname, '../..');
const recorded = (name: string) => JSON.parse(readFileSync(join(root, 'bench/results', name), 'utf8'));

test.each([
  ['docs/forecast.md', (page: string) => withForecasts(page, recorded('forecast.json').checks)],
  ['docs/reading-a-result.md', (page: string) => withTruth(page, recorded('truth.json').answers)],
])('the table of %s is rendered from its record', async (page, rendered) => {
  const text = readFileSync(join(root, page), 'utf8');
  const options = { ...(await resolveConfig(join(root, page))), parser: 'markdown' };
  expect(await format(rendered(text), options)).toBe(text);
});
