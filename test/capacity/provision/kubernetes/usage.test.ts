import type { Container } from 'kubernetes-types/core/v1.js';
import {
  CurrentUsage,
  sumPodMemory,
  MetricsServerUsage,
  usageOfSummary,
} from '../../../../capacity/src/provision/kubernetes/usage.js';

const AT = Date.UTC(2026, 10, 20, 10);
const time = (second: number) => new Date(AT + second * 1000).toISOString();

test("a kubelet's summary: containers of a pod together, this namespace alone, nothing that was not measured", () => {
  const container = (seconds: number, rssBytes: number, name = 'n8n') => ({
    name,
    cpu: { time: time(0), usageCoreNanoSeconds: seconds * 1e9 },
    memory: { rssBytes, workingSetBytes: 2 * rssBytes },
  });
  const pods = [
    { podRef: { name: 'main', namespace: 'a' }, containers: [container(2, 100), container(0.5, 10, 'runner')] },
    { podRef: { name: 'main', namespace: 'b' }, containers: [container(9, 900)] },
    { podRef: { name: 'starting', namespace: 'a' }, containers: [{ name: 'n8n', cpu: {}, memory: {} }] },
  ];
  expect([...usageOfSummary({ pods }, 'a')]).toEqual([
    [
      'main',
      {
        ...{ cpuSeconds: 2.5, rssBytes: 110, processes: 2, at: AT },
        workingSets: new Map([
          ['n8n', 200],
          ['runner', 20],
        ]),
      },
    ],
  ]);
  expect(usageOfSummary({}, 'a').size).toBe(0);
});

test('memory: of the one container, or of each that has a limit of its own', () => {
  const measured = {
    ...{ at: AT, cpuSeconds: 1, rssBytes: 1, processes: 2 },
    workingSets: new Map([
      ['n8n', 200],
      ['runner', 20],
      ['proxy', 5],
    ]),
  };
  const container = (name: string, memory?: string): Container => ({
    name,
    ...(memory && { resources: { limits: { memory } } }),
  });
  expect(sumPodMemory(measured, { containers: [container('n8n', '1Gi')] })).toEqual({
    workingSetBytes: 200,
    memoryAt: AT,
  });
  expect(sumPodMemory(measured, { containers: [container('database', '1Gi')] })).toEqual({});
  const several = { containers: [container('n8n', '1Gi'), container('runner', '512Mi'), container('proxy')] };
  expect(sumPodMemory(measured, several)).toEqual({
    memoryAt: AT,
    containers: [
      { name: 'n8n', workingSetBytes: 200, limitBytes: 2 ** 30 },
      { name: 'runner', workingSetBytes: 20, limitBytes: 2 ** 29 },
    ],
  });
});

test('metrics-server gives rates: they are added up, each once', () => {
  const usage = new MetricsServerUsage();
  const look = (second: number, cpu: string) =>
    usage
      .observe({
        items: [
          {
            ...{ metadata: { name: 'main' }, timestamp: time(second) },
            containers: [{ name: 'n8n', usage: { cpu, memory: '200Mi' } }],
          },
        ],
      })
      .get('main')!;
  expect(look(0, '100m').cpuSeconds).toBe(0);
  expect(look(10, '500m').cpuSeconds).toBe(5);
  expect(look(10, '500m').cpuSeconds).toBe(5);
  expect(look(20, '250000000n')).toMatchObject({
    ...{ cpuSeconds: 7.5, rssBytes: 200 * 2 ** 20 },
    workingSets: new Map([['n8n', 200 * 2 ** 20]]),
  });
  expect(look(30, '100000u').cpuSeconds).toBeCloseTo(8.5);
});

test('what metrics-server does not show any more is not seen, and its count goes on later', () => {
  const usage = new MetricsServerUsage();
  const items = (second: number) => [
    {
      metadata: { name: 'main' },
      timestamp: time(second),
      containers: [{ name: 'n8n', usage: { cpu: '500m', memory: '1Mi' } }],
    },
  ];
  usage.observe({ items: items(0) });
  expect(usage.observe({ items: items(10) }).get('main')!.cpuSeconds).toBe(5);
  expect(usage.observe({ items: [] })).toEqual(new Map());
  expect(usage.observe({ items: items(20) }).get('main')!.cpuSeconds).toBe(10);
});

test("between two measurements of a kubelet n8n's own count goes on, never back", () => {
  const usage = new CurrentUsage();
  const look = (at: number, measured: number, own?: number, incarnation = 'c1') =>
    usage.of(
      incarnation,
      { at, cpuSeconds: measured, rssBytes: 500, workingSets: new Map(), processes: 1 },
      own === undefined ? undefined : { cpuSeconds: own, rssBytes: 400 },
    )!.cpuSeconds;
  expect(look(0, 10, 8)).toBe(10);
  expect(look(0, 10, 8.5)).toBe(10.5);
  expect(look(0, 10)).toBe(10.5);
  expect(look(0, 10, 9)).toBe(11);
  // Children have used CPU too.
  expect(look(10, 12, 9.2)).toBe(12);
  expect(look(10, 12, 9.4)).toBeCloseTo(12.2);
  // Another container counts from 0.
  expect(look(11, 0.3, 0.2, 'c2')).toBe(0.3);
  expect(usage.of('c3', undefined, { cpuSeconds: 1, rssBytes: 1 })).toBeUndefined();
});
