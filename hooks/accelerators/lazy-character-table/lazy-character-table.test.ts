import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { cacheFolder, repositoryFolder } from '../../../capacity/src/core/paths.js';

const hook = join(import.meta.dirname, 'index.js');
const BUNDLE = 'node_modules/@n8n/expression-runtime/dist/bundle/runtime.iife.js';

/** The runtimes that n8n runs in its isolates: the one in this project, and those of the n8n that are installed. */
const runtimes = [repositoryFolder, ...['n8n-1', 'n8n-2'].map((name) => join(cacheFolder, 'runtimes', name))]
  .map((folder) => join(folder, BUNDLE))
  .filter((file) => existsSync(file));

/** What the hook makes of a file that n8n reads. */
function read(file: string, how: 'readFileSync' | 'readFile'): { text: string; warning: string } {
  const script =
    how === 'readFileSync'
      ? `process.stdout.write(require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf-8'))`
      : `require('node:fs/promises').readFile(${JSON.stringify(file)}, 'utf-8').then((text) => process.stdout.write(text))`;
  const run = spawnSync(process.execPath, ['--require', hook, '-e', script], { maxBuffer: 2 ** 24, encoding: 'utf8' });
  return { text: run.stdout, warning: run.stderr };
}

/** Loads a runtime. `written()` counts the characters that were written to a table. */
function load(source: string) {
  const context = createContext({});
  runInContext(
    `globalThis.written = 0;
    const fromCharCode = String.fromCharCode;
    String.fromCharCode = (...codes) => { written++; return fromCharCode(...codes); };`,
    context,
  );
  runInContext(source, context);
  const run = (code: string) => runInContext(code, context) as string;
  return { run, written: () => Number(run('written')) };
}

const ALL = `extend('Straße', 'replaceSpecialChars', []) + Array.from({ length: 256 }, (_, high) =>
  extend(Array.from({ length: 256 }, (_, low) => fromCharCode(high * 256 + low)).join(''), 'replaceSpecialChars', []),
).join('\\n')`;

describe('an isolate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isolates-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(runtimes)('has all characters, and writes no table of them: %s', (file) => {
    const { text, warning } = read(file, 'readFileSync');
    expect(warning).toBe('');
    const [asIs, lazy] = [load(readFileSync(file, 'utf8')), load(text)];
    expect(asIs.written()).toBeGreaterThan(40_000);
    expect(lazy.run(ALL)).toBe(asIs.run(ALL));
    expect(lazy.run(ALL)).toContain('Strasse');
    expect(lazy.written()).toBe(0);
    expect(lazy.run('Object.keys(globalThis).join()')).toBe(asIs.run('Object.keys(globalThis).join()'));
  });

  it('has the table when n8n reads the file asynchronously, as before 2.40', () =>
    expect(read(runtimes[0]!, 'readFile')).toEqual(read(runtimes[0]!, 'readFileSync')));

  it.each([
    ['another runtime', 'node_modules/@n8n/expression-runtime/dist/bundle/runtime.iife.js', 'var a = 1;', true],
    ['another file', 'other/dist/bundle/runtime.iife.js', 'var a = 1;', false],
  ])('runs %s as it is', (_, path, text, warns) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    for (const how of ['readFile', 'readFileSync'] as const) {
      const found = read(file, how);
      expect(found.text).toBe(text);
      expect(found.warning.includes('lazyCharacterTable')).toBe(warns);
    }
  });

  describe('with a runtime that is', () => {
    const { withLazyTable } = createRequire(import.meta.url)(hook) as { withLazyTable: (source: string) => string };
    const loop =
      'for(let n=0;n<L.length;n++)for(let e=0;e<L[n].length;e++){let i=L[n][e];if(typeof i=="string"&&i.length){let a=String.fromCharCode((n<<8)+e);T[a]=i}}';
    const runtime = (lists: string) => `var ${lists},T={};${loop}globalThis.T=T;`;

    it('as expected, has the same table whatever it is asked', () => {
      const source = runtime('L=[["a",,"","c"],["d"]]');
      const changed = withLazyTable(source);
      expect(changed).not.toBe(source);
      const ask =
        'JSON.stringify([T, Object.entries(T), "\\u0000" in T, "x" in T, T["\\u0003"], T["\\u0100"], T["\\u0002"], T["\\u0200"], T.ab, typeof T.toString, T instanceof Object])';
      expect(load(changed).run(ask)).toBe(load(source).run(ask));
      expect(load(changed).run('T["\\u0003"] + T["\\u0002"]')).toBe('cundefined');
    });

    it.each([
      ['with something else beside the lists', 'L=[["a"]],other={k:1}'],
      ['with another name before the lists', 'L=[["a"]];var xL=[["c"]]'],
      ['with a text where the lists would begin', 'L=[["L=[["]]'],
      ['with lists that need something', 'b="b",L=[[b]]'],
      ['with no list of lists', 'L=[["a"],1]'],
    ])('other, runs it as it is: %s', (_, lists) => expect(withLazyTable(runtime(lists))).toBe(runtime(lists)));

    it('other in its end, runs it as it is', () => {
      const source = `${runtime('L=[["a"]]')}L.length||fail();`;
      expect(withLazyTable(source)).toBe(source);
    });
  });
});
