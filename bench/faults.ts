/**
 * `npm run bench:faults -- FOLDER...`: publishes runs of `n8n-capacity faults`: copies each trial into bench/results/faults,
 * named like the folder, and renders all of them into docs/faults.md. Without a folder it only renders.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { repository } from '../capacity/src/core/paths.js';
import { FaultsFolder } from '../capacity/src/faults/folder.js';
import { readFaults, withFaults, type Faults } from './faults/document.js';

// Compiled below capacity/dist, where `repository` is not what it is in capacity/src.
const root = join(repository, '..', '..', '..');
const records = join(root, 'bench/results/faults');
const page = join(root, 'docs/faults.md');

mkdirSync(records, { recursive: true });
for (const path of process.argv.slice(2)) {
  const folder = new FaultsFolder(path);
  const [record, trials] = [await folder.record(), await folder.trials()];
  const published: Faults = {
    name: basename(path),
    // The values are those of this machine's files.
    record: { ...record, plan: { ...record.plan, values: { files: [], set: [] } } },
    trials,
  };
  writeFileSync(join(records, `${published.name}.json.gz`), gzipSync(JSON.stringify(published)));
}
const runs = readdirSync(records)
  .sort()
  .map((name) => readFaults(join(records, name)));
const { format, resolveConfig } = await import('prettier');
const options = { ...(await resolveConfig(page)), parser: 'markdown' };
writeFileSync(page, await format(withFaults(readFileSync(page, 'utf8'), runs), options));
