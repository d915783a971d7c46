import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the hook asks of isolated-vm. With real isolates and expressions: test/integration/code-cache.test.ts. */
const FAKE = `
  exports.Callback = class {};
  exports.Isolate = class {
    createContextSync() {
      return { global: { setSync() {}, derefInto() {} }, evalClosureSync() {} };
    }
    compileScriptSync(code, { produceCachedData, cachedData } = {}) {
      const runSync = () => {
        if (code.includes('throw')) throw new Error('no runtime');
      };
      return { runSync, cachedData: produceCachedData ? 'full' : undefined, took: cachedData };
    }
    dispose() {}
  };`;
const folder = mkdtempSync(join(tmpdir(), 'code-cache-'));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'node_modules/isolated-vm'), { recursive: true });
writeFileSync(join(folder, 'node_modules/isolated-vm/index.js'), FAKE);

/** The cache with which an isolate compiles code, and whether the hook calls itself active. */
function compiled(code: string, given: object): unknown {
  const script = `
    const { Isolate } = require('isolated-vm');
    const { took } = new Isolate().compileScriptSync(${code}, ${JSON.stringify(given)});
    const status = globalThis[Symbol.for('n8n-tuned.hooks')]?.get('full-code-cache');
    console.log(JSON.stringify({ took, isActive: status?.isActive }));`;
  const out = execFileSync(process.execPath, ['--require', join(import.meta.dirname, 'index.js'), '-e', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', N8N_EXPRESSION_ENGINE_COMPILE_CACHE: 'true' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(out);
}

const RUNTIME = "'/* runtime */'.padEnd(200000)";

test.each<[string, string, object, object]>([
  ['the runtime gets the full cache', RUNTIME, { produceCachedData: true }, { took: 'full', isActive: true }],
  ['so does one with the cache of n8n', RUNTIME, { cachedData: 'partial' }, { took: 'full', isActive: true }],
  ['a runtime without a cache stays as it is', RUNTIME, {}, {}],
  ['other code stays as it is', "'1 + 1'", { cachedData: 'its own' }, { took: 'its own' }],
  [
    'a runtime that does not run here keeps the cache of n8n, and the hook is inactive',
    "'throw'.padEnd(200000)",
    { cachedData: 'partial' },
    { took: 'partial', isActive: false },
  ],
])('%s', (_, code, given, expected) => expect(compiled(code, given)).toEqual(expected));
