import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { EnvironmentFault } from '../../../capacity/src/core/errors.js';
import { terminalProgress } from '../../../capacity/src/core/progress.js';

const cache = mkdtempSync(join(tmpdir(), 'cache-'));
process.env.N8N_TUNED_CACHE = cache;
const { ensureInstalled } = await import('../../../capacity/src/tools/install.js');

const quiet = terminalProgress(true);
let builds = 0;
const thing = (changes: Partial<Parameters<typeof ensureInstalled>[0]> = {}) => ({
  folder: 'runtimes/thing',
  label: 'a thing',
  recipe: 'one',
  needsMiB: 1,
  build: (folder: string) => {
    builds += 1;
    writeFileSync(join(folder, `build-${builds}`), '');
    return Promise.resolve();
  },
  ...changes,
});
const inside = () => readdirSync(join(cache, 'runtimes'));

test('ensureInstalled installs once, and again when the recipe changes', async () => {
  const folder = await ensureInstalled(thing(), quiet);
  await ensureInstalled(thing(), quiet);
  expect(builds).toBe(1);
  await ensureInstalled(thing({ recipe: 'two' }), quiet);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['build-2']));
  expect(readdirSync(folder)).not.toContain('build-1');
});

test('a failed install reports the command and its last lines, and leaves no files', async () => {
  const broken = thing({ folder: 'runtimes/broken', build: (_, run) => run('sh', ['-c', 'echo the reason; exit 7']) });
  const error: unknown = await ensureInstalled(broken, quiet).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(EnvironmentFault);
  for (const fact of ['a thing', 'exit code 7', 'the reason']) expect((error as Error).message).toContain(fact);
  expect(inside()).toEqual(['thing']);
});

test('an interrupted install is killed with its children, and leaves no files', async () => {
  const controller = new AbortController();
  const marker = join(cache, 'survived');
  const slow = thing({
    folder: 'runtimes/slow',
    build: (_, run) => run('sh', ['-c', `(sleep 2; touch ${marker}) & wait`]),
  });
  const installing = ensureInstalled(slow, terminalProgress(true, controller.signal));
  setTimeout(() => controller.abort(new Error('interrupted')), 300);
  await expect(installing).rejects.toThrow('interrupted');
  await new Promise((resolve) => setTimeout(resolve, 2200));
  expect(existsSync(marker)).toBe(false);
  expect(inside()).toEqual(['thing']);
});

test('leftovers of a killed install are removed and never mistaken for a finished install', async () => {
  mkdirSync(join(cache, 'runtimes', 'late.installing-999999999'));
  mkdirSync(join(cache, 'runtimes', 'late'));
  await ensureInstalled(thing({ folder: 'runtimes/late' }), quiet);
  expect(inside().sort()).toEqual(['late', 'thing']);
});

test('a lack of disk space is reported with free space, needed space and advice', async () => {
  const huge = thing({ folder: 'runtimes/huge', needsMiB: 1e9 });
  const error: unknown = await ensureInstalled(huge, quiet).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(EnvironmentFault);
  for (const fact of ['a thing', '1000000000 MiB', 'N8N_TUNED_CACHE']) expect((error as Error).message).toContain(fact);
});

test('of concurrent processes one installs, and none replaces the install of another', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'installing-'));
  const log = join(folder, 'log');
  const stub = join(import.meta.dirname, 'stub-install.mjs');
  const env = { N8N_TUNED_CACHE: join(folder, 'cache') };
  const run = () => execa(process.execPath, [stub, log], { env, stdin: 'ignore' });
  const ended = await Promise.all([run(), run(), run()]);
  expect(ended.map(({ stdout }) => stdout)).toEqual(Array(3).fill('the same'));
  expect(readFileSync(log, 'utf8')).toBe('built\n');
});
