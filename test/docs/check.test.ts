import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { withChecks } from '../../bench/check/document.js';
import { EXAMPLES } from '../../bench/check/examples.js';
import { readGains } from '../../capacity/src/workflow/check/gains.js';

const file = join(import.meta.dirname, '../../docs/check.md');

test('docs/check.md is rendered from the rules and the record', async () => {
  const page = readFileSync(file, 'utf8');
  const options = { ...(await resolveConfig(file)), parser: 'markdown' };
  expect(await format(withChecks(page, readGains()), options)).toBe(page);
});

test('the record contains all examples', () => {
  const names = ({ rule, before, after }: { rule: string; before: { name: string }; after: { name: string } }) => ({
    rule,
    before: before.name,
    after: after.name,
  });
  expect(readGains().gains.map(names)).toEqual(EXAMPLES);
});
