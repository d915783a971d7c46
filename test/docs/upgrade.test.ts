import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { readUpgrade, withUpgrades } from '../../bench/upgrades/document.js';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'docs/upgrade.md');
const records = join(root, 'bench/results/upgrades');

test('docs/upgrade.md is rendered from the records', async () => {
  const names = existsSync(records) ? readdirSync(records).sort() : [];
  const upgrades = names.map((name) => readUpgrade(join(records, name)));
  const page = readFileSync(file, 'utf8');
  const options = { ...(await resolveConfig(file)), parser: 'markdown' };
  expect(await format(withUpgrades(page, upgrades), options)).toBe(page);
});
