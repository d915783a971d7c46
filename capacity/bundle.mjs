/**
 * Bundles the command and the public API, with all that they import, into capacity/dist/bundle: Node reads a few files instead
 * of a thousand, and the published package installs next to nothing. Copies what the command reads as files into
 * capacity/dist/assets, and lists the licences of everything that is bundled.
 */
import { build } from 'esbuild';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..');
const outdir = join(here, 'dist', 'bundle');
const assets = join(here, 'dist', 'assets');
/** Optional natives of pg and ws, which work without them. */
const OPTIONAL = ['pg-native', 'bufferutil', 'utf-8-validate'];
/** The node package, which is deployed into n8n as well, and its dependencies: Bull reads its Lua scripts from its own folder. */
const INSTALLED = ['n8n-nodes-tuned/*', 'bull', 'ioredis'];
/** CommonJS packages in a module call `require` for Node's own modules. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

rmSync(outdir, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: [join(here, 'src', 'cli.ts'), join(here, 'src', 'index.ts')],
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Beside the entries, so that each file is as far from the root of the repository as in src.
  chunkNames: '[name]-[hash]',
  banner: { js: REQUIRE },
  external: [...OPTIONAL, ...INSTALLED],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
});

// The plots of a report are drawn by ECharts, of which a report carries one of two builds.
mkdirSync(assets, { recursive: true });
const echarts = dirname(createRequire(import.meta.url).resolve('echarts/package.json'));
for (const name of ['echarts.min.js', 'echarts.common.min.js'])
  copyFileSync(join(echarts, 'dist', name), join(assets, name));

const packages = new Set([echarts, ...Object.keys(metafile.inputs).flatMap(packageOf)]);
writeFileSync(
  join(outdir, 'LICENSES.txt'),
  [...packages]
    .sort()
    .map(licenceText)
    .join(`\n${'-'.repeat(80)}\n\n`),
);

/** The folder of the package that a bundled file belongs to; none for a file of this repository. */
function packageOf(input) {
  const parts = join(process.cwd(), input).split(sep);
  const at = parts.lastIndexOf('node_modules');
  if (at < 0) return [];
  const length = parts[at + 1].startsWith('@') ? 3 : 2;
  return [parts.slice(0, at + length).join(sep)];
}

function licenceText(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^(licen[cs]e|notice|copying)/i.test(entry.name))
    .map(({ name }) => name);
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (!license && texts.length === 0) throw new Error(`${relative(root, folder)}: has no licence`);
  return [`${name} ${version} (${license ?? 'see below'})`, ...texts].join('\n\n') + '\n';
}

if (!existsSync(join(outdir, 'cli.js'))) throw new Error('capacity/dist/bundle/cli.js was not written');
