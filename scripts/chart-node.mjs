// Packs the built node package into one JSON file of the chart (texts by path), from which the chart renders a ConfigMap: so
// load targets need neither an image nor a registry. The file is a build product and is not committed.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';

const PRODUCT = 'charts/n8n-tuned/files/n8n-nodes-tuned.json';

const needed = (path) => !path.endsWith('.d.ts') && !path.includes('/.') && statSync(path).isFile();
const built = ['dist/credentials', 'dist/nodes']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((path) => `${folder}/${path}`))
  .filter(needed)
  .sort();

const { name, version, n8n } = JSON.parse(readFileSync('package.json', 'utf8'));
const files = Object.fromEntries(built.map((path) => [path, readFileSync(path, 'utf8')]));
// Only what n8n reads: the whole package.json would change, and so restart pods, with every development dependency.
files['package.json'] = JSON.stringify({ name, version, n8n });
writeFileSync(PRODUCT, JSON.stringify(files, null, 1) + '\n');
