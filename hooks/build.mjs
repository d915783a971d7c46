/**
 * build.mjs [FOLDER]: bundles the hooks that n8n's processes load into the chart (or FOLDER). The bundles are committed, so that a
 * chart installed from a checkout, as by Argo CD, needs no build.
 */
import { build } from 'esbuild';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const hooks = import.meta.dirname;
const folder = process.argv[2] ?? join(hooks, '../charts/n8n-tuned/files/hooks');

/** Entry files by their names in the chart. n8n loads hooks.js; Node loads the others before n8n. */
const ENTRIES = {
  hooks: 'hooks.js',
  'full-code-cache': 'accelerators/full-code-cache/index.js',
  'lazy-character-table': 'accelerators/lazy-character-table/index.js',
  'quiet-sqlite': 'accelerators/quiet-sqlite/index.js',
};

mkdirSync(folder, { recursive: true });
await build({
  absWorkingDir: hooks,
  entryPoints: Object.entries(ENTRIES).map(([out, path]) => ({ in: path, out })),
  outdir: folder,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  // n8n 0.2xx runs on Node 18.
  target: 'node18',
  banner: { js: '/* n8n-tuned: built from hooks/ by "npm run hooks". Change it there. */' },
  logLevel: 'warning',
});
