import { memoryUse } from '../../../capacity/src/run/memory-use.js';
import type { DeploymentRecord } from '../../../capacity/src/model/run.js';
import type { InstanceSample, Sample } from '../../../capacity/src/model/sample.js';

const LIMIT = 2 ** 30;
const deployment = (enforced = true): Pick<DeploymentRecord, 'instances' | 'limits'> => ({
  limits: { enforced, detail: '' },
  instances: [
    { name: 'main-0', component: 'main', limits: { memoryBytes: LIMIT } },
    { name: 'worker-0', component: 'worker', limits: { memoryBytes: LIMIT } },
    { name: 'redis-0', component: 'redis', limits: {} },
  ],
});
const seen = (at: number, ...instances: Partial<InstanceSample>[]): Sample => ({
  at,
  instances: instances.map((i) => ({ name: '', rssBytes: 0, cpuSeconds: 0, processes: 1, ...i })),
});
const main = (workingSetBytes: number) => ({ name: 'main-0', component: 'main' as const, workingSetBytes });
const worker = (name: string, workingSetBytes: number) => ({ name, component: 'worker' as const, workingSetBytes });
const use = (samples: Sample[], enforced?: boolean) => memoryUse(samples, deployment(enforced), 0, 10);

test('the most that each instance with a limit used in that time', () => {
  const samples = [seen(1, main(5), worker('worker-0', 7)), seen(2, main(9)), seen(11, main(99))];
  expect(use(samples)).toEqual({
    memory: [
      { instance: 'main-0', component: 'main', usedBytes: 9, limitBytes: LIMIT },
      { instance: 'worker-0', component: 'worker', usedBytes: 7, limitBytes: LIMIT },
    ],
  });
});

test('a pod that was added later has the limit of its component', () => {
  const { memory } = use([seen(1, main(5), worker('worker-0', 7), worker('worker-x7f', 8))]);
  expect(memory).toContainEqual({ instance: 'worker-x7f', component: 'worker', usedBytes: 8, limitBytes: LIMIT });
});

test('each container of a pod with several is compared with its own limit', () => {
  const containers = [
    { name: 'n8n', workingSetBytes: 50, limitBytes: 100 },
    { name: 'runner', workingSetBytes: 60, limitBytes: 64 },
  ];
  const { memory } = use([seen(1, main(5), { name: 'worker-0', component: 'worker', containers })]);
  expect(memory!.slice(1)).toEqual([
    { instance: 'worker-0 (n8n)', component: 'worker', usedBytes: 50, limitBytes: 100 },
    { instance: 'worker-0 (runner)', component: 'worker', usedBytes: 60, limitBytes: 64 },
  ]);
});

test('a container with a limit beside one without is judged, although its pod has no limit', () => {
  const { limits, instances } = deployment();
  const without = { limits, instances: instances.map((i) => ({ ...i, limits: {} })) };
  const containers = [{ name: 'n8n', workingSetBytes: 97, limitBytes: 100 }];
  const { memory } = memoryUse([seen(1, { name: 'main-0', component: 'main', containers })], without, 0, 10);
  expect(memory).toEqual([{ instance: 'main-0 (n8n)', component: 'main', usedBytes: 97, limitBytes: 100 }]);
});

test('what was measured before is not of this time; a long time without a measurement of its own is unseen', () => {
  const old = { ...main(99), memoryAt: 900 };
  const own = worker('worker-0', 7);
  const late = { ...main(5), memoryAt: 50_000 };
  const samples = [1000, 30_000].map((at) => seen(at, old, own));
  const span = (all: Sample[], to: number) => memoryUse(all, deployment(), 1000, to);
  expect(span(samples, 31_000)).toEqual({
    memory: [expect.objectContaining({ instance: 'worker-0' })],
    memoryUnmeasured: ['main'],
  });
  expect(span([...samples, seen(30_500, { ...late, memoryAt: 20_000 }, own)], 31_000).memoryUnmeasured).toBeUndefined();
  expect(span(samples, 61_000).memoryUnseen).toEqual(['main']);
  const seenOnce = span([...samples, seen(55_000, late, own)], 61_000);
  expect(seenOnce.memoryUnseen).toBeUndefined();
  expect(seenOnce.memory).toContainEqual(expect.objectContaining({ instance: 'main-0', usedBytes: 5 }));
  // Once at its beginning is too early.
  const all = Array.from({ length: 30 }, (_, i) => seen(1000 + 5000 * i, { ...main(5), memoryAt: 4000 }, own));
  expect(span(all, 61_000).memoryUnseen).toBeUndefined();
  expect(span(all, 141_000).memoryUnseen).toEqual(['main']);
});

test('a component with an enforced limit that nobody saw is named', () => {
  expect(use([seen(1, main(5), { name: 'worker-0', component: 'worker' })])).toMatchObject({
    memoryUnseen: ['worker'],
  });
  expect(use([seen(1, main(5))], false)).not.toHaveProperty('memoryUnseen');
});

test('a component that was seen in fewer than half of the looks counts as unseen', () => {
  const samples = [1, 2, 3, 4, 5].map((at) => seen(at, main(5), ...(at < 3 ? [worker('worker-0', 7)] : [])));
  expect(use(samples)).toMatchObject({ memoryUnseen: ['worker'] });
  expect(use(samples.slice(0, 4)).memoryUnseen).toBeUndefined();
});

test('a replica that nobody saw is no replica with room', () => {
  const blind = { name: 'worker-1', component: 'worker' as const };
  const samples = [1, 2, 3].map((at) => seen(at, main(5), worker('worker-0', 7), blind));
  expect(use(samples)).toMatchObject({ memoryUnseen: ['worker'] });
});

test('each of two Deployments of a component has its own limit; a pod that nobody knows has the smaller', () => {
  const { limits } = deployment();
  const instances = [
    { name: 'worker-a-0', component: 'worker' as const, limits: { memoryBytes: 100 } },
    { name: 'worker-b-0', component: 'worker' as const, limits: { memoryBytes: 400 } },
  ];
  const samples = [seen(1, worker('worker-a-0', 99), worker('worker-b-0', 99), worker('worker-c-0', 99))];
  expect(memoryUse(samples, { limits, instances }, 0, 10).memory!.map((m) => m.limitBytes)).toEqual([100, 400, 100]);
});
