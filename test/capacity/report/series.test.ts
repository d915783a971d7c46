import type { Sample } from '../../../capacity/src/model/sample.js';
import { groupSeconds, instanceSeries, thinOut } from '../../../capacity/src/report/html/series.js';

const second = (at: number, failed = 0, p50?: number) => ({
  ...{ at, sent: 3, answered: 3 - failed, failed },
  ...(p50 !== undefined && { p50 }),
});

test('a step of few seconds stays as it is', () => {
  const seconds = [second(0, 0, 0.1), second(1), second(2, 3)];
  expect(groupSeconds(seconds, 3)).toEqual({ each: 1, points: seconds });
  expect(groupSeconds([])).toEqual({ each: 1, points: [] });
});

test('of a long one no failure and no slow second is lost', () => {
  const seconds = [second(0, 0, 0.1), second(1, 3, 2), second(2), second(3), second(4, 0, 0.2)];
  expect(groupSeconds(seconds, 3)).toEqual({
    each: 2,
    points: [
      { at: 0, sent: 3, answered: 1.5, failed: 1.5, p50: 2 },
      { at: 2, sent: 3, answered: 3, failed: 0 },
      { at: 4, sent: 3, answered: 3, failed: 0, p50: 0.2 },
    ],
  });
});

test.each([
  [3, [0, 1, 2]],
  [2, [0, 2]],
  [1, [0]],
])('of a series at most %i items remain', (max, expected) => {
  expect(thinOut([0, 1, 2], max)).toEqual(expected);
});

test('a process over time has gaps where it was down or began anew', () => {
  const sample = (second: number, cpuSeconds: number, processes = 1, heapUsedBytes?: number): Sample => ({
    at: 1000 + second * 1000,
    instances: [
      { name: 'main', rssBytes: processes * 2 ** 20, cpuSeconds, processes, ...(heapUsedBytes && { heapUsedBytes }) },
    ],
  });
  const samples = [
    sample(0, 1),
    sample(1, 1.5, 1, 2 ** 21),
    sample(3, 3.5),
    sample(4, 0, 0),
    sample(5, 0.2),
    sample(6, 0.1),
  ];
  expect(instanceSeries('main', samples, 1000)).toEqual({
    rssMiB: [
      [0, 1],
      [1, 1],
      [3, 1],
      [4, null],
      [5, 1],
      [6, 1],
    ],
    heapMiB: [
      [0, null],
      [1, 2],
      [3, null],
      [4, null],
      [5, null],
      [6, null],
    ],
    cores: [
      [0, null],
      [1, 0.5],
      [3, 1],
      [4, null],
      [5, null],
      [6, null],
    ],
  });
  const late = { ...sample(1, 1.85), at: samples[1]!.at + 17 };
  const { cores } = instanceSeries('main', [samples[0]!, samples[1]!, late, ...samples.slice(2)], 1000);
  // What was used in between is not that of 17 ms.
  expect(cores.filter(([, value]) => (value ?? 0) > 1)).toEqual([]);
  expect(instanceSeries('other', samples, 1000).rssMiB.every(([, value]) => value === null)).toBe(true);
});
