import type { CpuProfile } from '../../../capacity/src/model/profile.js';
import { buildFlameGraph, packageName, removeFolders } from '../../../capacity/src/observe/cpu-profile.js';

const N8N = 'file:///home/me/runtimes/n8n-2/node_modules/n8n/dist/webhook.js';
const VM = 'file:///home/me/runtimes/n8n-2/node_modules/n8n/node_modules/@n8n/expression-runtime/dist/vm.js';

/** Functions by id (name, file, ids of the functions that it calls), and one sample a millisecond. */
function buildProfile(
  nodes: [id: number, name: string, url: string, children?: number[]][],
  samples: number[],
): CpuProfile {
  return {
    nodes: nodes.map(([id, functionName, url, children]) => ({
      id,
      callFrame: { functionName, url, lineNumber: 1 },
      ...(children && { children }),
    })),
    startTime: 0,
    endTime: samples.length * 1000,
    samples,
    timeDeltas: samples.map(() => 1000),
  };
}

const times = (n: number, id: number): number[] => Array.from({ length: n }, () => id);
const calls = buildProfile(
  [
    [1, '(root)', '', [2, 3, 6]],
    [2, '(idle)', ''],
    [3, 'serve', N8N, [4, 5]],
    [4, 'evaluate', VM, [7]],
    [5, 'evaluate', VM],
    [6, '(garbage collector)', ''],
    [7, 'evaluate', VM],
  ],
  // The last sample has no next one, so it lasts for nothing.
  [...times(20, 2), ...times(10, 3), ...times(30, 4), ...times(20, 5), ...times(10, 7), ...times(10, 6), 6],
);

test('frames are as wide as their share of the working time, the widest first', () => {
  const { seconds, idle, frames } = buildFlameGraph(calls);
  expect({ seconds, idle }).toEqual({ seconds: 0.1, idle: 0.2 });
  expect(frames).toEqual([
    { depth: 0, from: 0, to: 0.875, name: 'serve', package: 'n8n' },
    { depth: 1, from: 0, to: 0.75, name: 'evaluate', package: '@n8n/expression-runtime' },
    { depth: 2, from: 0, to: 0.125, name: 'evaluate', package: '@n8n/expression-runtime' },
    { depth: 0, from: 0.875, to: 1, name: '(garbage collector)', package: 'V8' },
  ]);
});

test('a hot function has its own time, and a recursive call is counted once', () => {
  expect(buildFlameGraph(calls).functions).toEqual([
    { name: 'evaluate', package: '@n8n/expression-runtime', self: 0.75, total: 0.75 },
    { name: 'serve', package: 'n8n', self: 0.125, total: 0.875 },
    { name: '(garbage collector)', package: 'V8', self: 0.125, total: 0.125 },
  ]);
});

test('an idle thread has no frames', () => {
  const waiting = buildProfile(
    [
      [1, '(root)', '', [2]],
      [2, '(idle)', ''],
    ],
    times(5, 2),
  );
  expect(buildFlameGraph(waiting)).toEqual({ seconds: 0.004, idle: 1, frames: [], functions: [] });
});

test.each([
  [N8N, 'n8n'],
  [VM, '@n8n/expression-runtime'],
  ['node:internal/timers', 'node'],
  ['', 'V8'],
  ['file:///home/me/x.js', 'other'],
])('package of %s', (url, expected) => expect(packageName(url)).toBe(expected));

test('removeFolders removes the folders of this machine', () => {
  expect(JSON.stringify(removeFolders(calls))).not.toContain('home');
  expect(removeFolders(calls).nodes[2]!.callFrame.url).toBe('node_modules/n8n/dist/webhook.js');
});
