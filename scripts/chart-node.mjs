// Puts the built node package into the chart as one file, path by path, from which a ConfigMap is rendered: with it,
// load targets need neither an image nor a registry. A build product, not committed.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';

const PRODUCT = 'charts/n8n-tuned/files/n8n-nodes-tuned.json';

const needed = (path) => !path.endsWith('.d.ts') && !path.includes('/.') && statSync(path).isFile();
const built = ['dist/credentials', 'dist/nodes']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((path) => `${folder}/${path}`))
  .filter(needed)
  .sort();

const { name, version, n8n } = JSON.parse(readFileSync('package.json', 'utf8'));
const files = Object.fromEntries(built.map((path) => [path, readFileSync(path, 'utf8')]));
// What n8n reads of it. The whole would change, and restart pods, with each development dependency.
files['package.json'] = JSON.stringify({ name, version, n8n });
writeFileSync(PRODUCT, JSON.stringify(files, null, 1) + '\n');
