import { cpuAboveLimit, heapFull } from '../../../capacity/src/run/limits-use.js';
import type { DeploymentRecord } from '../../../capacity/src/model/run.js';
import type { InstanceSample, Sample } from '../../../capacity/src/model/sample.js';

const MIB = 2 ** 20;
const deployment = (enforced: boolean): Pick<DeploymentRecord, 'instances' | 'limits'> => ({
  limits: { enforced, detail: '' },
  instances: [{ name: 'main-0', component: 'main', limits: { cpuMillis: 1000 }, heapMiB: 1000 }],
});
/** One look a second. */
const looks = (count: number, of: (second: number) => Partial<InstanceSample>): Sample[] =>
  Array.from({ length: count }, (_, second) => ({
    at: 1000 * second,
    instances: [{ name: 'main-0', rssBytes: 0, cpuSeconds: 0, processes: 1, ...of(second) }],
  }));

test.each([
  [1.8, false, true],
  [0.8, false, false],
  [1.8, true, false],
])('%d cores of a limit of 1, enforced: %s', (cores, enforced, expected) => {
  const used = cpuAboveLimit(
    looks(30, (second) => ({ cpuSeconds: cores * second })),
    deployment(enforced),
    0,
    30_000,
  );
  expect(used).toEqual(
    expected ? { cpuAboveLimit: [{ instance: 'main-0', cores: expect.closeTo(cores), limitCores: 1 }] } : {},
  );
});

test.each([
  ['full in every look', 30, () => 950, true],
  ['emptied once', 30, (second: number) => (second === 9 ? 500 : 950), false],
  ['full in a few looks', 10, () => 950, false],
])('a heap that is %s', (_, count, mib, expected) => {
  const full = heapFull(
    looks(count, (second) => ({ heapUsedBytes: mib(second) * MIB })),
    deployment(true),
    0,
    30_000,
  );
  expect(full).toEqual(
    expected ? { heapFull: [{ instance: 'main-0', leastBytes: 950 * MIB, limitBytes: 1000 * MIB }] } : {},
  );
});
