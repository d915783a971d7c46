import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cacheFolder } from '../../capacity/src/core/paths.js';
import { chart } from '../chart/render.js';

const HOOKS = ['lazy-character-table.js', 'full-code-cache.js'].flatMap((file) => [
  '--require',
  join(chart, 'files/hooks', file),
]);

/** Runs a program in a pinned n8n, with its Node, as the chart does. The last line of its output is JSON. */
function runInN8n(n8n: 'n8n-1' | 'n8n-2', program: string, hooks = HOOKS): { result: unknown; warnings: string } {
  const cwd = join(cacheFolder, 'runtimes', n8n);
  const asks = n8n === 'n8n-2' && { N8N_EXPRESSION_ENGINE_COMPILE_CACHE: 'true' };
  const { stdout, stderr } = spawnSync(join(cwd, 'node_modules/node/bin/node'), [...hooks, '-e', program], {
    ...{ cwd, encoding: 'utf8', env: { ...process.env, ...asks } },
  });
  return { result: JSON.parse(stdout.trim().split('\n').at(-1) || 'null'), warnings: stderr };
}

const EVALUATE = `
  const { IsolatedVmBridge } = require('@n8n/expression-runtime');
  const log = () => {};
  const codes = [
    'return this.$json.a + 1',
    'return this.$json.list.map((each) => each * 2)',
    'return this.$json.b.c.toUpperCase()',
    'return extend("straße", "toTitleCase", []) + extend("Straße", "replaceSpecialChars", [])',
    'return extend([1, 2, 3], "sum", [])',
    'return DateTime.fromISO("2026-01-30").plus({ days: 3 }).toFormat("cccc dd LLLL yyyy")',
    'return this.$json.missing.deep',
    'return (() => { throw new TypeError("no") })()',
    'return [typeof process, typeof require, typeof globalThis.constructor]',
  ];
  (async () => {
    const results = [];
    for (let isolate = 0; isolate < 2; isolate++) {
      const logger = { debug: log, info: log, warn: log, error: log };
      const bridge = new IsolatedVmBridge({ logger, memoryLimit: 128, timeout: 5000, compileCache: true });
      await bridge.initialize();
      for (const code of codes)
        try {
          const data = { $json: { a: 1, b: { c: 'x' }, list: [1, 2] } };
          results.push(bridge.execute(code, data, { timezone: 'Europe/Berlin' }));
        } catch (error) {
          results.push([error.name, error.message]);
        }
      await bridge.dispose();
    }
    console.log(JSON.stringify(results));
  })();`;

test.each(['n8n-1', 'n8n-2'] as const)('expressions return the same, and fail in the same way: %s', (n8n) => {
  const asIs = runInN8n(n8n, EVALUATE, []);
  const tuned = runInN8n(n8n, EVALUATE);
  expect(asIs.result).toHaveLength(18);
  expect(tuned).toEqual(asIs);
});

const RUNTIME = `
  const { readFileSync } = require('node:fs');
  const { dirname, join } = require('node:path');
  const folder = join(dirname(require.resolve('@n8n/expression-runtime')), '../..');
  const runtime = () => readFileSync(join(folder, 'dist/bundle/runtime.iife.js'), 'utf8');`;

test.each(['n8n-1', 'n8n-2'] as const)('each expression that fills the cache evaluates: %s', (n8n) => {
  const program = `${RUNTIME}
  // The hook only changes modules that are required after it.
  const ivm = require('isolated-vm');
  const { makeCache } = require(${JSON.stringify(join(chart, 'files/hooks/full-code-cache.js'))});
  const errors = [];
  const cache = makeCache(ivm, runtime(), ({ message }) => errors.push(message));
  console.log(JSON.stringify({ errors, made: Boolean(cache) }));`;
  expect(runInN8n(n8n, program, []).result).toEqual({ errors: [], made: true });
});

/** A program that reports whether V8 accepted the cache of the runtime; undefined without a cache. */
const compileProgram = (source: string) => `${RUNTIME}
  const { Isolate } = require('isolated-vm');
  const script = new Isolate({ memoryLimit: 128 }).compileScriptSync(${source}, { produceCachedData: true });
  console.log(JSON.stringify({ rejected: script.cachedDataRejected, made: Boolean(script.cachedData) }));`;

test('V8 accepts the cache of the runtime', () =>
  expect(runInN8n('n8n-2', compileProgram('runtime()'))).toEqual({
    result: { rejected: false, made: false },
    warnings: '',
  }));

test('other code is compiled as n8n asks', () =>
  expect(runInN8n('n8n-2', compileProgram('"1"')).result).toEqual({ made: true }));

test('a runtime whose cache cannot be made is compiled as n8n asks, with a warning', () => {
  const { result, warnings } = runInN8n('n8n-2', compileProgram("'missing();' + ' '.repeat(200_000)"));
  expect(result).toEqual({ made: true });
  expect(warnings).toContain('expressionEngine.fullCodeCache: ');
});
