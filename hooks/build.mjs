/**
 * build.mjs [FOLDER]: writes the files that n8n's processes load, each with all that it needs, into the chart (or FOLDER). They are
 * committed: a chart that is installed from a checkout, as Argo CD does, needs no build.
 */
import { build } from 'esbuild';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const hooks = import.meta.dirname;
const folder = process.argv[2] ?? join(hooks, '../charts/n8n-tuned/files/hooks');

/** Files by their names in the chart: what n8n loads (hooks.js), and what Node loads before n8n. */
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
