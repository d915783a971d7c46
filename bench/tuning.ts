/**
 * `npm run bench:tuning -- FOLDER...`: publishes runs of `n8n-capacity tune`. Writes the record and the trials of each run to
 * bench/results/tuning, and renders all published runs into docs/tuning.md. Without a folder it only renders.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, join, parse } from 'node:path';
import { TuneFolder } from '../capacity/src/features/tune/folder.js';
import { deployedBy, readTuning, withTunings } from './tuning/document.js';
import { renderPage, root } from './page.js';

const records = join(root, 'bench/results/tuning');

mkdirSync(records, { recursive: true });
for (const path of process.argv.slice(2)) {
  const folder = new TuneFolder(path);
  const [record, trials] = [await folder.record(), await folder.trials()];
  const { foreign } = record.plan;
  const tuning = {
    // Values and manifests are files of this machine, so their paths are left out.
    record: {
      ...record,
      plan: {
        ...record.plan,
        values: { files: [], set: [] },
        ...(foreign && {
          foreign: { ...foreign, [foreign.manifests ? 'manifests' : 'chart']: basename(deployedBy(foreign)) },
        }),
      },
    },
    trials,
    cpus: cpus().length,
    cpuModel: cpus()[0]?.model.trim() ?? 'unknown',
  };
  const { loads } = record.plan;
  const driven = loads.length > 1 ? `${loads.length}-workloads` : loads[0]!.name;
  const chart = foreign ? `-${parse(deployedBy(foreign)).name}` : '';
  const name = `${driven}-${record.mode}${chart}-n8n-${record.n8n}.json`;
  writeFileSync(join(records, name), `${JSON.stringify(tuning)}\n`);
}
const all = readdirSync(records).sort();
const tunings = all.map((name) => readTuning(join(records, name)));
await renderPage('docs/tuning.md', (page) => withTunings(page, tunings));
