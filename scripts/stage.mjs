/**
 * stage.mjs node|capacity FOLDER: makes the folder from which the npm package `n8n-nodes-tuned` or `n8n-capacity` is packed.
 * Needs a build.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shrinkwrap } from './shrinkwrap.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [what, target] = process.argv.slice(2);
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const node = read('package.json');
const capacity = read('capacity/package.json');

const BUILT_NODES = ['LICENSE', 'dist/credentials', 'dist/nodes'];

/** Files and folders that the tool reads when it runs. */
const TOOL_FILES = [
  'LICENSE',
  'CHANGELOG.md',
  'bench/results/check.json',
  'capacity/bin',
  'capacity/dist/assets',
  'capacity/dist/bundle',
  'capacity/package.json',
  'capacity/pm2',
  'capacity/tune',
  'charts/n8n-tuned',
  'loadtests',
  'runtimes',
  'workflows',
];
/** Installed runtimes. */
const leftOut = (path) => basename(path) === 'node_modules';
const declarations = (path) => leftOut(path) || (statSync(path).isFile() && !path.endsWith('.d.ts'));

const STAGES = {
  /** The nodes without type declarations, and the workflows without workflows/original, whose snippets have no bounds. */
  node() {
    const isLeftOut = (path) => path.endsWith('.d.ts') || path === join(root, 'workflows', 'original');
    for (const path of [...BUILT_NODES, 'workflows', 'CHANGELOG.md']) copyIntoPackage(path, path, isLeftOut);
    copyIntoPackage('nodes/README.md', 'README.md');
    const { peerDependencies, engines } = node;
    write('package.json', { ...publishedManifest(node), engines, peerDependencies });
  },
  /**
   * The folders of this repository, so that the tool's paths are the same in a clone and in an installed package. Bundles the node
   * package, which the tool deploys into n8n.
   */
  capacity() {
    copyIntoPackage('capacity/dist', 'capacity/dist', declarations);
    for (const path of TOOL_FILES) copyIntoPackage(path);
    copyIntoPackage('capacity/README.md', 'README.md');
    const bundled = join('node_modules', node.name);
    for (const path of BUILT_NODES) copyIntoPackage(path, join(bundled, path));
    // Without peerDependencies: npm would install n8n's own packages beside the tool, which deploys its own n8n.
    // Nor with dependencies: those of a bundled package count as bundled, and "npm install --global" of npm 11.19 runs their
    // install scripts before their commands are linked, and fails. They are dependencies of this package.
    const { dependencies: _, ...withoutDependencies } = publishedManifest(node);
    write(join(bundled, 'package.json'), withoutDependencies);
    const { license, author, homepage, repository, dependencies } = node;
    const { name, version, description, keywords, type, engines } = capacity;
    const manifest = {
      ...{ name, version, description, keywords, license, author, homepage, repository, type, engines },
      exports: { '.': { types: './capacity/dist/index.d.ts', default: './capacity/dist/bundle/index.js' } },
      bin: { 'n8n-capacity': 'capacity/bin/n8n-capacity.js' },
      // What the tool itself imports is in its bundle.
      dependencies: { ...dependencies, [node.name]: node.version },
      bundleDependencies: [node.name],
    };
    write('package.json', manifest);
    const bundle = { [node.name]: { version: node.version, license } };
    write('npm-shrinkwrap.json', shrinkwrap(read('package-lock.json'), 'capacity', manifest, bundle));
  },
};

/** The manifest of the node package without fields that only this repository needs. */
function publishedManifest({
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
}) {
  return { name, version, description, keywords, license, author, homepage, repository, n8n, dependencies };
}

const write = (path, value) => writeFileSync(join(target, path), `${JSON.stringify(value, null, 2)}\n`);

function copyIntoPackage(path, to = path, isLeftOut = leftOut) {
  if (!existsSync(join(root, path))) throw new Error(`${path} is missing; run make build`);
  mkdirSync(dirname(join(target, to)), { recursive: true });
  // npm packs no symbolic links; the chart has two.
  cpSync(join(root, path), join(target, to), {
    recursive: true,
    dereference: true,
    filter: (source) => !isLeftOut(source),
  });
}

if (!(what in STAGES) || !target) throw new Error('usage: stage.mjs node|capacity FOLDER');
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
STAGES[what]();
