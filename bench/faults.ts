/**
 * `npm run bench:faults -- FOLDER...`: publishes runs of `n8n-capacity faults`. Writes each run to bench/results/faults, named like
 * its folder, and renders all published runs into docs/faults.md. Without a folder it only renders.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FaultsFolder } from '../capacity/src/features/faults/folder.js';
import { readFaults, withFaults, type Faults } from './faults/document.js';
import { renderPage, root } from './page.js';

const records = join(root, 'bench/results/faults');

mkdirSync(records, { recursive: true });
for (const path of process.argv.slice(2)) {
  const folder = new FaultsFolder(path);
  const [record, trials] = [await folder.record(), await folder.trials()];
  const published: Faults = {
    name: basename(path),
    // The values are files of this machine, so they are left out.
    record: { ...record, plan: { ...record.plan, values: { files: [], set: [] } } },
    trials,
  };
  writeFileSync(join(records, `${published.name}.json.gz`), gzipSync(JSON.stringify(published)));
}
const runs = readdirSync(records)
  .sort()
  .map((name) => readFaults(join(records, name)));
await renderPage('docs/faults.md', (page) => withFaults(page, runs));
