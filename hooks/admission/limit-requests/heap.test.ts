import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../../capacity/src/core/paths.js';
import { HeapLimit, folder } from './testing.js';

/** The Node that runs this, and those of n8n that are installed: collections differ. */
const nodes = [
  process.execPath,
  ...['n8n-1', 'n8n-2'].map((runtime) => join(cacheFolder, 'runtimes', runtime, 'node_modules/node/bin/node')),
].filter((node) => existsSync(node));

describe('the heap', () => {
  function limited({ least = 1 } = {}) {
    const seen = { held: 100, admitted: 0, at: 0 };
    const limit = new HeapLimit({
      held: () => seen.held,
      admitted: () => seen.admitted,
      least,
      now: () => seen.at,
    });
    const after = (share: number) => {
      limit.onCollected(share);
      return limit.most;
    };
    return { seen, after };
  }

  it('holds fewer than it held when it was found full, and fewer again as they leave', () => {
    const { seen, after } = limited();
    expect(after(0.79)).toBe(Infinity);
    expect(after(0.8)).toBe(90);
    // Those that are too many have not left yet: the limit stays.
    expect(after(0.9)).toBe(90);
    seen.held = 80;
    expect(after(0.85)).toBe(72);
  });

  it('holds more with each collection that does not find it full', () => {
    const { after } = limited();
    after(0.8);
    expect([after(0.7), after(0.7)]).toEqual([100, 111]);
    expect(after(0.64)).toBe(Infinity);
  });

  it('has no limit once that is twice what filled it', () => {
    const { after } = limited();
    after(0.8);
    const limits = Array.from({ length: 10 }, () => after(0.7));
    expect(limits.findIndex((limit) => limit > 200)).toBe(limits.indexOf(Infinity));
    expect(limits).toContain(Infinity);
  });

  it('always holds a few: what fills it may be something else', () => {
    const { seen, after } = limited({ least: 5 });
    seen.held = 0;
    expect(after(0.9)).toBe(5);
  });

  it('has no limit where nothing was admitted for ten minutes, until it was not full once', () => {
    const { seen, after } = limited();
    after(0.9);
    seen.at = 599_000;
    seen.admitted = 1;
    expect(after(0.9)).toBe(90);
    seen.at = 1_198_000;
    expect(after(0.9)).toBe(90);
    seen.at = 1_199_000;
    expect([after(0.9), after(0.9)]).toEqual([Infinity, Infinity]);
    after(0.7);
    expect(after(0.9)).toBe(90);
  });

  it('holds fewer where the container is nearly full, although the heap is not', () => {
    const seen: number[] = [];
    const limit = new HeapLimit({ held: () => 100, admitted: () => 0 });
    for (const ofContainer of [0.89, 0.9, 0.8, 0.74]) {
      limit.onCollected(0.3, ofContainer);
      seen.push(limit.most);
    }
    expect(seen).toEqual([Infinity, 90, 100, Infinity]);
  });

  it.each(nodes)('of a process is seen when V8 collects it, and collected where V8 does not need to: %s', (node) => {
    const script = `
      const { HeapLimit, watchHeap } = require(${JSON.stringify(join(folder, 'heap.js'))});
      const { setTimeout: sleep } = require('node:timers/promises');
      const limit = new HeapLimit({ held: () => 10, admitted: () => 0 });
      watchHeap(limit, undefined, 100);
      const seen = [limit.most];
      const until = async (reached) => {
        for (let i = 0; i < 100 && !reached(); i++) await sleep(20);
        seen.push(limit.most);
      };
      (async () => {
        const fill = (_, i) => Array.from({ length: 100 }, (_, j) => 'x'.repeat(60) + i + j);
        let kept = Array.from({ length: 10_000 }, fill);
        gc();
        await until(() => limit.most < Infinity);
        kept = kept.length;
        await until(() => limit.most === Infinity);
        console.log(...seen);
      })();`;
    const { stdout } = spawnSync(node, ['--max-old-space-size=290', '--expose-gc', '-e', script]);
    expect(String(stdout).trim()).toBe('Infinity 9 Infinity');
  });

  const script = (call: string) => `
    const { collect, release } = require(${JSON.stringify(join(folder, '../../lib/garbage.js'))});
    const { PerformanceObserver, constants } = require('node:perf_hooks');
    let majors = 0;
    new PerformanceObserver((list) => {
      majors += list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR).length;
    }).observe({ entryTypes: ['gc'] });
    const used = () => process.memoryUsage().heapUsed / 2 ** 20;
    let kept = Array.from({ length: 300_000 }, (_, i) => ({ i, text: 'x' + i }));
    collect();
    const full = used();
    kept = kept.length;
    ${call}();
    setTimeout(() => console.log(full - used() > 10, majors >= 2), 200);`;
  it.each(nodes.flatMap((node) => ['collect', 'release'].map((call) => [call, node])))(
    '%s takes all garbage of the old generation, in %s',
    (call, node) => {
      expect(String(spawnSync(node, ['-e', script(call)]).stdout).trim()).toBe('true true');
    },
  );
});
