import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { hooks } from './hooks.js';

interface Here {
  now: () => number;
  free: () => void;
  warn: () => void;
}
const { shareOfContainer, watchMemory } = createRequire(import.meta.url)(join(hooks, 'memory.js')) as {
  shareOfContainer: (root: string, own: string) => (() => number) | undefined;
  watchMemory: (share: () => number, here?: Partial<Here>, times?: [number, number, number]) => NodeJS.Timeout;
};

const root = mkdtempSync(join(tmpdir(), 'cgroup-'));
afterAll(() => rmSync(root, { recursive: true }));

const MIB = 2 ** 20;
let n = 0;
/** A mount of cgroups with these files. */
function mounted(files: Record<string, string | number>): string {
  const mount = join(root, String(n++));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(mount, name)), { recursive: true });
    writeFileSync(join(mount, name), `${text}\n`);
  }
  return mount;
}

describe('the memory of the container', () => {
  const v2 = { 'memory.max': 100 * MIB, 'memory.current': 90 * MIB };
  const stat2 = `anon 1\nactive_file ${10 * MIB}\ninactive_file ${20 * MIB}\nworkingset_refault_file 7`;
  const v1 = { 'memory.limit_in_bytes': 100 * MIB, 'memory.usage_in_bytes': 90 * MIB };
  const stat1 = `active_file 5\ntotal_active_file ${10 * MIB}\ntotal_inactive_file ${20 * MIB}`;
  const under = (path: string, files: Record<string, string | number>) =>
    Object.fromEntries(Object.entries(files).map(([name, text]) => [join(path, name), text]));

  it.each([
    ['version 2, of a container that sees its own alone', { ...v2, 'memory.stat': stat2 }, '0::/'],
    ['version 2, of a process', under('pod/n8n', { ...v2, 'memory.stat': stat2 }), '0::/pod/n8n'],
    [
      'version 1, where the mount is the container and the path that of the node',
      under('memory', { ...v1, 'memory.stat': stat1 }),
      '5:cpu,cpuacct:/kubepods/x\n4:memory:/kubepods/x\n1:name=systemd:/',
    ],
    ['version 1, of a process', under('memory/a', { ...v1, 'memory.stat': stat1 }), '4:memory:/a'],
  ])('is taken without what files of its disk take: %s', (_, files, own) => {
    expect(shareOfContainer(mounted(files), own)!()).toBeCloseTo(0.6);
  });

  it.each([
    ['no limit', { 'memory.max': 'max', 'memory.current': 1, 'memory.stat': '' }],
    ['one of version 1', { 'memory/memory.limit_in_bytes': '9223372036854771712' }],
    ['no cgroups', {}],
  ])('is not watched with %s', (_, files) => {
    expect(shareOfContainer(mounted(files), '0::/\n4:memory:/')).toBeUndefined();
  });

  it('counts as free where it can no longer be read', () => {
    const mount = mounted({ ...v2, 'memory.stat': stat2 });
    const share = shareOfContainer(mount, '0::/')!;
    rmSync(mount, { recursive: true });
    expect(share()).toBe(0);
  });
});

describe('a container that is nearly full', () => {
  /** Seconds at which garbage is collected, of which each look is half a second later, and the number of warnings. */
  async function collected(shareAt: (second: number) => number, seconds: number) {
    const at: number[] = [];
    let [half, warned] = [0, 0];
    const here = { now: () => 500 * half, free: () => void at.push(half / 2), warn: () => void warned++ };
    const timer = watchMemory(() => shareAt(++half / 2), here, [1, 10_000, 60_000]);
    while (half < 2 * seconds) {
      const before = half;
      await new Promise((resolve) => setTimeout(resolve, 2));
      // The memory is not read in the pause after a collection: time goes on here.
      if (half === before) half++;
    }
    clearInterval(timer);
    return { at, warned };
  }

  it('is left alone below 85 %', async () => {
    expect(await collected(() => 0.84, 10)).toEqual({ at: [], warned: 0 });
  });

  it('has its garbage collected, later and later where that does not help', async () => {
    const { at, warned } = await collected(() => 0.85, 150);
    expect(warned).toBe(1);
    const pauses = at.slice(1).map((second, i) => second - at[i]!);
    expect(pauses.length).toBeGreaterThanOrEqual(3);
    for (const [i, least] of [20, 40, 60].entries()) {
      expect(pauses[i]).toBeGreaterThanOrEqual(least);
      expect(pauses[i]).toBeLessThan(least + 5);
    }
  });

  it('gives back the pages of its heap', async () => {
    const script = `
      const { watchMemory } = require(${JSON.stringify(join(hooks, 'memory.js'))});
      const rss = () => process.memoryUsage.rss() / 2 ** 20;
      let kept = Array.from({ length: 2_000_000 }, (_, i) => ({ i, text: 'x' + i }));
      const full = rss();
      kept = kept.length;
      watchMemory(() => 0.9, {}, [50, 60_000, 60_000]);
      setTimeout(() => console.log(full - rss() > 60), 1500);`;
    const run = promisify(execFile)(process.execPath, ['--max-old-space-size=1000', '-e', script]);
    expect((await run).stdout.trim()).toBe('true');
  });
});
