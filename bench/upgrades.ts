/**
 * `npm run bench:upgrades -- FOLDER...`: publishes runs of `n8n-capacity upgrade`. Writes the record and the trials of each run to
 * bench/results/upgrades, and renders all published runs into docs/upgrade.md. Without a folder it only renders.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { UpgradeFolder } from '../capacity/src/features/upgrade/folder.js';
import { readUpgrade, withUpgrades } from './upgrades/document.js';
import { renderPage, root } from './page.js';

const records = join(root, 'bench/results/upgrades');

mkdirSync(records, { recursive: true });
for (const path of process.argv.slice(2)) {
  const folder = new UpgradeFolder(path);
  const [record, trials, survival] = [await folder.record(), await folder.trials(), await folder.survival()];
  const { values: _, ...plan } = record.plan;
  const published = {
    // The values are files of this machine, so they are left out.
    record: { ...record, plan: { ...plan, values: { files: [], set: [] } } },
    trials,
    ...(survival && { survival }),
    cpus: cpus().length,
    cpuModel: cpus()[0]?.model.trim() ?? 'unknown',
  };
  const name = `${record.plan.loads[0]!.name}-${record.from}-${record.to}.json`;
  writeFileSync(join(records, name), `${JSON.stringify(published)}\n`);
}
const upgrades = readdirSync(records)
  .sort()
  .map((name) => readUpgrade(join(records, name)));
await renderPage('docs/upgrade.md', (page) => withUpgrades(page, upgrades));
