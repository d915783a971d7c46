import { RunnerProcessWatch, type ProcessSource } from '../../../capacity/src/observe/runner-process-watch.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CounterSum } from '../../../capacity/src/observe/counter.js';
import { parseMetrics } from '../../../capacity/src/observe/metrics.js';
import {
  readFromPs,
  parsePsLine,
  parseStat,
  readProcesses,
  readProportionalBytes,
  sumTreeUsage,
  type ProcessStat,
} from '../../../capacity/src/observe/proc.js';
import { repositoryFolder } from '../../../capacity/src/core/paths.js';

describe('CounterSum', () => {
  test('sums over running and ended processes, whatever the order of their answers', () => {
    const counter = new CounterSum();
    const seen = [
      ['main 1', 5],
      ['webhook 2', 2],
      ['main 1', 9],
      ['main 1', 7],
      ['main 3', 1],
      ['main 3', 4],
    ] as const;
    for (const [source, value] of seen) counter.observe(source, value);
    expect(counter.total).toBe(9 + 2 + 4);
  });
});

describe('parseMetrics', () => {
  const text = `# HELP n8n_workflow_success_total Total number of n8n.workflow.success events.
# TYPE n8n_workflow_success_total counter
n8n_workflow_success_total{workflow_id="1001"} 46
n8n_workflow_success_total{workflow_id="1002"} 3
# TYPE n8n_workflow_failed_total counter
n8n_workflow_failed_total{workflow_id="1001"} 2
# TYPE n8n_nodejs_heap_size_used_bytes gauge
n8n_nodejs_heap_size_used_bytes 430000000
# TYPE n8n_nodejs_eventloop_lag_p99_seconds gauge
n8n_nodejs_eventloop_lag_p99_seconds 0.0204
`;

  test('reads executions by workflow, heap and lag', () => {
    const read = parseMetrics(text);
    expect([...read.succeeded]).toEqual([
      ['1001', 46],
      ['1002', 3],
    ]);
    expect([...read.failed]).toEqual([['1001', 2]]);
    expect(read).toMatchObject({ heapUsedBytes: 430_000_000, eventLoopLagP99Seconds: 0.0204 });
  });

  test('reads every value of a page that a webhook processor of n8n 2.41.1 served', () => {
    expect(parseMetrics(readFileSync(join(repositoryFolder, 'bench/sampler/n8n-metrics.txt'), 'utf8'))).toEqual({
      counting: true,
      startedAtMs: 1795206995000,
      started: new Map([['1001', 15]]),
      succeeded: new Map([['1001', 15]]),
      failed: new Map(),
      heapUsedBytes: 175_889_704,
      eventLoopLagP99Seconds: 0.034963455,
      process: { cpuSeconds: 3.6922730000000015, rssBytes: 382_001_152 },
      pool: { active: 0, size: 20, pending: 0 },
      inside: {
        gcSeconds: expect.closeTo(5.760658, 6),
        majorGcSeconds: expect.closeTo(1.931363, 6),
        connections: 167,
        connectionSeconds: expect.closeTo(241.66966, 5),
        isolates: 24,
        coldIsolates: 12,
        coldIsolateSeconds: expect.closeTo(17.456883, 6),
      },
      version: '2.41.1',
    });
  });

  test('an n8n without the label counts under an empty id', () => {
    expect([
      ...parseMetrics('# TYPE n8n_workflow_success_total counter\nn8n_workflow_success_total 7\n').succeeded,
    ]).toEqual([['', 7]]);
  });
});

describe('/proc', () => {
  test('a command name with brackets and spaces does not shift the fields', () => {
    const fields = [
      'S',
      '41',
      ...Array<string>(9).fill('0'),
      '150',
      '50',
      '10',
      '5',
      ...Array<string>(6).fill('0'),
      '2048',
    ];
    expect(parseStat(`42 (n8n (main) x) ${fields.join(' ')}`)).toEqual({
      pid: 42,
      parent: 41,
      cpuSeconds: 2.15,
      rssBytes: 2048 * 4096,
    });
  });

  test('readProcesses finds this process, with memory and CPU', async () => {
    const usage = sumTreeUsage(await readProcesses(), process.pid)!;
    expect(usage.processes).toBeGreaterThanOrEqual(1);
    expect(usage.rssBytes).toBeGreaterThan(10 * 2 ** 20);
    expect(usage.cpuSeconds).toBeGreaterThan(0);
  });
});

describe('ps, on a system without /proc', () => {
  test.each([
    ['  42    41  2048   0:01.50', { pid: 42, parent: 41, cpuSeconds: 1.5, rssBytes: 2048 * 1024 }],
    ['42 41 2048 01:02:03', { pid: 42, parent: 41, cpuSeconds: 3723, rssBytes: 2048 * 1024 }],
    ['42 41 2048 1-00:00:01', { pid: 42, parent: 41, cpuSeconds: 86_401, rssBytes: 2048 * 1024 }],
  ])('%s', (line, stat) => expect(parsePsLine(line)).toEqual(stat));

  test('readFromPs finds this process', async () => {
    expect((await readFromPs()).find((p) => p.pid === process.pid)!.rssBytes).toBeGreaterThan(10 * 2 ** 20);
  });
});

const stat = (pid: number, parent: number): [number, ProcessStat] => [
  pid,
  { pid, parent, cpuSeconds: 1, rssBytes: 100 },
];

test('the proportional set size counts shared pages once, so that it is at most the resident memory', async () => {
  const { rssBytes } = sumTreeUsage(await readProcesses(), process.pid)!;
  const bytes = readProportionalBytes([process.pid])!;
  expect(bytes).toBeGreaterThan(2 ** 24);
  // Read a moment later.
  expect(bytes).toBeLessThan(1.2 * rssBytes);
  expect(readProportionalBytes([2 ** 30])).toBeUndefined();
});

test('sumTreeUsage sums a process and its descendants, and no other process', () => {
  const processes = new Map([stat(1, 0), stat(10, 1), stat(11, 10), stat(12, 11), stat(20, 1)]);
  expect(sumTreeUsage(processes, 10)).toEqual({ rssBytes: 300, cpuSeconds: 3, processes: 3 });
  expect(sumTreeUsage(processes, 99)).toBeUndefined();
});

describe('RunnerProcessWatch', () => {
  let main: number | undefined;
  const instances: ProcessSource[] = [{ name: 'main-0', component: 'main', pid: () => main }];
  const commands: Record<number, string> = {
    10: 'node n8n',
    11: 'node @n8n/task-runner/dist/start.js',
    12: 'node child',
  };
  const watch = () => new RunnerProcessWatch((pid) => Promise.resolve(commands[pid] ?? ''));
  const all = new Map([stat(10, 1), stat(11, 10), stat(12, 10)]);
  const withoutRunner = new Map([stat(10, 1), stat(12, 10)]);

  test('detects once that a runner died while its n8n runs', async () => {
    main = 10;
    const runners = watch();
    expect(await runners.detectDeaths(instances, all)).toEqual([]);
    expect(await runners.detectDeaths(instances, withoutRunner)).toMatchObject([
      { instance: 'main-0', kind: 'runner-died' },
    ]);
    expect(await runners.detectDeaths(instances, withoutRunner)).toEqual([]);
  });

  test('ignores other children, and a runner that ended with its n8n', async () => {
    main = 10;
    const runners = watch();
    await runners.detectDeaths(instances, all);
    expect(await runners.detectDeaths(instances, new Map([stat(10, 1), stat(11, 10)]))).toEqual([]);
    main = undefined;
    expect(await runners.detectDeaths(instances, new Map())).toEqual([]);
  });
});
