/**
 * stage-capacity.mjs FOLDER: makes the folder from which the npm package `n8n-capacity` is packed. Its tree is that of this repository, so
 * that no path of the tool differs between a clone and an installed package. It bundles the node package, which is deployed
 * into n8n. Needs a build.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [target] = process.argv.slice(2);
if (!target) throw new Error('usage: stage-capacity.mjs FOLDER');

/** What the tool reads when it runs. */
const CARRIED = [
  'LICENSE',
  'bench/results/check.json',
  'capacity/bin',
  'capacity/dist',
  'capacity/package.json',
  'capacity/pm2',
  'capacity/tune',
  'charts/n8n-tuned',
  'loadtests',
  'runtimes',
  'workflows',
];
/** Installed runtimes, and the benchmarks that are compiled beside the tool. */
const LEFT_OUT = [join('capacity', 'dist', 'bench'), 'node_modules'];
const NODE_PACKAGE = ['LICENSE', 'dist/credentials', 'dist/nodes'];

const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const write = (path, value) => writeFileSync(join(target, path), `${JSON.stringify(value, null, 2)}\n`);

function carry(path, to = path) {
  if (!existsSync(join(root, path))) throw new Error(`${path} is missing; run make build`);
  mkdirSync(dirname(join(target, to)), { recursive: true });
  // npm packs no symbolic links; the chart has two.
  cpSync(join(root, path), join(target, to), {
    recursive: true,
    dereference: true,
    filter: (source) => !LEFT_OUT.some((left) => source === join(root, left) || basename(source) === left),
  });
}

const capacity = read('capacity/package.json');
const node = read('package.json');

rmSync(target, { recursive: true, force: true });
for (const path of CARRIED) carry(path);
const bundled = join('node_modules', node.name);
for (const path of NODE_PACKAGE) carry(path, join(bundled, path));
carry('capacity/README.md', 'README.md');
carry('CHANGELOG.md');

const { name, version, description, keywords, license, author, homepage, repository, n8n, dependencies } = node;
// Without peerDependencies: npm would install n8n's own packages beside the tool, which deploys its own n8n.
write(join(bundled, 'package.json'), {
  name,
  version,
  description,
  keywords,
  license,
  author,
  homepage,
  repository,
  n8n,
  dependencies,
});
write('package.json', {
  name: capacity.name,
  version: capacity.version,
  description: capacity.description,
  keywords: capacity.keywords,
  license,
  author,
  homepage,
  repository,
  type: capacity.type,
  engines: capacity.engines,
  exports: { '.': { types: './capacity/dist/index.d.ts', default: './capacity/dist/index.js' } },
  bin: { 'n8n-capacity': 'capacity/bin/n8n-capacity.js' },
  dependencies: { ...capacity.dependencies, ...dependencies, [name]: version },
  bundleDependencies: [name],
});
