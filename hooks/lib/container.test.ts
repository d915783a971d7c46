import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

interface Here {
  now: () => number;
  free: () => void;
  warn: () => void;
}
interface ContainerMemory {
  lived: number;
  onLived: () => void;
  look: () => void;
}
const { ContainerMemory, shareOfContainer } = createRequire(import.meta.url)('./container.js') as {
  shareOfContainer: (root: string, own: string) => (() => number) | undefined;
  ContainerMemory: new (share: () => number, here?: Partial<Here>) => ContainerMemory;
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
  const stat2 = `anon 1\nactive_file ${10 * MIB}\ninactive_file ${15 * MIB}\nslab_reclaimable ${5 * MIB}\nslab_unreclaimable 9\nworkingset_refault_file 7`;
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

  it('is watched where the machine seems to have no more than its limit', () => {
    expect(shareOfContainer(mounted({ ...v2, 'memory.max': totalmem(), 'memory.stat': '' }), '0::/')).toBeDefined();
  });

  it('is not known where it can no longer be read', () => {
    const mount = mounted({ ...v2, 'memory.stat': stat2 });
    const share = shareOfContainer(mount, '0::/')!;
    rmSync(mount, { recursive: true });
    expect(share()).toBeNaN();
  });
});

describe('a container that is nearly full', () => {
  /**
   * What is seen in a container with this share in use, of which each look is half a second after the other; `took` seconds of the
   * process for each collection.
   */
  function seen(shareAt: (second: number, collections: number) => number, seconds: number, took = 0) {
    const [collected, lived]: [number[], [number, number][]] = [[], []];
    let [now, warned] = [0, 0];
    const free = () => {
      collected.push(now);
      now += took;
    };
    const here = { now: () => 1000 * now, free, warn: () => void warned++ };
    const memory = new ContainerMemory(() => shareAt(now, collected.length), here);
    memory.onLived = () => void lived.push([now, memory.lived]);
    for (; now < seconds; now += 0.5) memory.look();
    return { collected, lived, warned, now: memory.lived };
  }
  const pauses = (times: number[]) => times.slice(1).map((second, i) => second - times[i]!);

  it('is left alone below 85 %', () => {
    expect(seen(() => 0.84, 100)).toEqual({ collected: [], lived: [], warned: 0, now: 0 });
  });

  it('has its garbage collected, later and later where that does not help', () => {
    const { collected, warned } = seen(() => 0.85, 300);
    expect(warned).toBe(1);
    expect(pauses(collected)).toEqual([10, 20, 40, 60, 60, 60]);
  });

  it('is collected soon where it would be killed next, helpful or not', () => {
    expect(pauses(seen(() => 0.9, 100).collected)).toEqual(Array(9).fill(10));
    // It fills after collections that left much, the last of them not long ago.
    const filling = (second: number) => (second < 132 ? 0.86 : Math.min(1, 0.86 + 0.01 * (second - 132)));
    const { collected, lived } = seen(filling, 150);
    expect(collected).toEqual([0, 10, 30, 70, 130, 140]);
    expect(lived.at(-1)).toEqual([141, expect.closeTo(0.945)]);
  });

  it('is collected after ten seconds again where a collection helped, after others that did not', () => {
    const helped = (second: number, collections: number) => (collections < 5 ? 0.86 : second < 135 ? 0.6 : 0.88);
    expect(seen(helped, 150).collected).toEqual([0, 10, 30, 70, 130, 140]);
  });

  it('stops the process for a twentieth of the time, and a minute at most goes by', () => {
    for (const pause of pauses(seen(() => 0.95, 300, 2).collected)) expect(pause).toBeCloseTo(42);
    for (const pause of pauses(seen(() => 0.95, 600, 5).collected)) expect(pause).toBeCloseTo(65);
  });

  it('is full of the least that a collection left, and only so far as it stays so', () => {
    expect(seen(() => 0.95, 5)).toMatchObject({ lived: [[1, 0.95]], now: 0.95 });
    // Garbage, and pages that are given back a little later.
    expect(seen((second) => (second < 1 ? 0.95 : 0.6), 5)).toMatchObject({ lived: [[1, 0.6]], now: 0.6 });
    // What comes later may be garbage.
    expect(seen((second) => (second < 1 ? 0.95 : second < 3 ? 0.6 : 0.93), 5)).toMatchObject({ now: 0.6 });
    expect(seen((second) => (second === 0.5 ? 0.8 : 0.91), 5)).toMatchObject({ lived: [[1, 0.8]] });
  });

  it('is as it was where it cannot be read for a moment', () => {
    expect(seen((second) => (second === 3 ? NaN : 0.95), 5)).toMatchObject({ now: 0.95 });
  });

  it('gives back the pages of its heap', async () => {
    const script = `
      const { ContainerMemory } = require(${JSON.stringify(join(import.meta.dirname, 'container.js'))});
      const rss = () => process.memoryUsage.rss() / 2 ** 20;
      let kept = Array.from({ length: 2_000_000 }, (_, i) => ({ i, text: 'x' + i }));
      const full = rss();
      kept = kept.length;
      new ContainerMemory(() => 0.9).look();
      setTimeout(() => console.log(full - rss() > 60), 1500);`;
    const run = promisify(execFile)(process.execPath, ['--max-old-space-size=1000', '-e', script]);
    expect((await run).stdout.trim()).toBe('true');
  });
});
