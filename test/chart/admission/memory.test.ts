import { createRequire } from 'node:module';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hooks } from './hooks.js';

interface Watch {
  period: number;
  pause: number;
  now: () => number;
  free: () => void;
  warn: () => void;
}
const { shareOfContainer, watchMemory } = createRequire(import.meta.url)(join(hooks, 'memory.js')) as {
  shareOfContainer: (root: string, own: string) => (() => number) | undefined;
  watchMemory: (share: () => number, watch: Watch) => NodeJS.Timeout;
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

test('the garbage of a container that is nearly full is collected, and again only after a pause', async () => {
  const at: number[] = [];
  let [looks, warned] = [0, 0];
  // Each look is half a second later; the container is full from the tenth second on.
  const timer = watchMemory(() => (looks >= 20 ? 0.85 : 0.84), {
    period: 1,
    pause: 10_000,
    now: () => 500 * ++looks,
    free: () => void at.push(500 * looks),
    warn: () => void warned++,
  });
  while (looks < 55) await new Promise((resolve) => setTimeout(resolve, 1));
  clearInterval(timer);
  expect({ calls: at.length, first: at[0], warned }).toEqual({ calls: 2, first: 10_000, warned: 1 });
  expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(10_000);
});
