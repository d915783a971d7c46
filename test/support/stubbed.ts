import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { execa } from 'execa';
import { runtimesFolder } from '../../capacity/src/core/paths.js';
import { helm } from './tools.js';
import { TESTED_N8N } from './versions.js';

const stubs = join(import.meta.dirname, 'stubs');

/**
 * Creates an environment for `n8n-capacity` with stubs: k6 and npm on PATH, and n8n 2.41.1 as an installed runtime. Helm and the chart
 * are real.
 * @param folder empty folder for the stubs and the cache
 * @param k6Fails whether the k6 stub fails in every step
 */
export async function createStubs(folder: string, k6Fails = false): Promise<Record<string, string>> {
  const [bin, cache] = [join(folder, 'bin'), join(folder, 'cache')];
  mkdirSync(bin, { recursive: true });
  symlinkSync(isAbsolute(helm) ? helm : (await execa('which', [helm])).stdout, join(bin, 'helm'));
  writeFileSync(
    join(bin, 'k6'),
    `#!/bin/sh\n${k6Fails ? 'export K6_STUB_FAILS=1\n' : ''}exec '${process.execPath}' '${join(stubs, 'k6.mjs')}' "$@"\n`,
  );
  chmodSync(join(bin, 'k6'), 0o755);
  // This npm knows only that version of n8n.
  writeFileSync(
    join(bin, 'npm'),
    `#!/bin/sh\ncase "$*" in\n  "view n8n versions"*) echo '["${TESTED_N8N}"]' ;;\n  "view n8n@"*) echo '{}' ;;\n  *) exec '${(await execa('which', ['npm'])).stdout}' "$@" ;;\nesac\n`,
  );
  chmodSync(join(bin, 'npm'), 0o755);
  const runtime = join(cache, 'runtimes', 'n8n-2');
  for (const part of ['node/bin', 'n8n/bin', 'sqlite3'])
    mkdirSync(join(runtime, 'node_modules', part), { recursive: true });
  symlinkSync(process.execPath, join(runtime, 'node_modules/node/bin/node'));
  writeFileSync(join(runtime, 'node_modules/n8n/package.json'), '{"type": "module"}');
  writeFileSync(
    join(runtime, 'node_modules/n8n/bin/n8n'),
    `await import(${JSON.stringify(join(stubs, 'n8n.mjs'))});\n`,
  );
  // No dependency is replaced.
  writeFileSync(join(runtime, 'package.json'), '{}');
  // A stub of sqlite3, because no test counts rows.
  writeFileSync(join(runtime, 'node_modules/sqlite3/index.js'), 'module.exports = {};\n');
  const pinned = join(runtimesFolder, 'n8n-2');
  const recipe = ['package.json', 'package-lock.json'].map((name) => readFileSync(join(pinned, name), 'utf8')).join('');
  writeFileSync(join(runtime, '.installed'), createHash('sha256').update(recipe).digest('hex'));
  return { N8N_TUNED_CACHE: cache, PATH: `${bin}${delimiter}${process.env.PATH}` };
}
