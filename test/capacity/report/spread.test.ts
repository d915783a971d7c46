import type { InstanceSample, Sample } from '../../../capacity/src/model/sample.js';
import { measureSpreads } from '../../../capacity/src/report/html/spread.js';
import { spreadPlot } from '../../../capacity/src/report/html/spread-section.js';
import { buildHostileRun, buildPassingRun } from '../support/index.js';

type Seen = [executions: number | undefined, cpuSeconds: number];

/** The run in queue mode, in which only its two webhook processors were seen. */
function seen(first: Seen[], second: Seen[]) {
  const instance = (name: string, [executions, cpuSeconds]: Seen): InstanceSample => ({
    name,
    rssBytes: 1,
    processes: 1,
    cpuSeconds,
    ...(executions !== undefined && { executions }),
  });
  const samples = first.map((one, i): Sample => ({
    at: i * 1000,
    instances: [instance('n8n-tuned-webhook-0', one), instance('n8n-tuned-webhook-1', second[i]!)],
  }));
  return measureSpreads({ ...buildPassingRun(), samples }).find((s) => s.component === 'webhook')!;
}

test.each<[string, Seen[], Seen[], number | undefined, number | undefined]>([
  [
    'evenly shared',
    [
      [10, 1],
      [60, 2],
    ],
    [
      [0, 5],
      [50, 6],
    ],
    1,
    1,
  ],
  [
    'one does everything',
    [
      [0, 0],
      [80, 3],
    ],
    [
      [0, 0],
      [0, 0],
    ],
    0.5,
    0.5,
  ],
  [
    'one has twice as many',
    [
      [0, 0],
      [40, 1],
    ],
    [
      [0, 0],
      [20, 1],
    ],
    0.9,
    1,
  ],
  [
    'nothing is counted, as by workers',
    [
      [undefined, 0],
      [undefined, 1],
    ],
    [
      [undefined, 0],
      [undefined, 1],
    ],
    undefined,
    1,
  ],
  [
    'one is not counted',
    [
      [0, 0],
      [9, 1],
    ],
    [
      [undefined, 0],
      [undefined, 1],
    ],
    undefined,
    1,
  ],
  [
    'nothing was done',
    [
      [0, 2],
      [0, 2],
    ],
    [
      [0, 2],
      [0, 2],
    ],
    undefined,
    undefined,
  ],
  [
    'a restart loses nothing',
    [
      [0, 4],
      [5, 0.5],
      [10, 1],
    ],
    [
      [0, 0],
      [5, 0.5],
      [10, 1],
    ],
    1,
    1,
  ],
])('%s', (_what, first, second, executions, cpu) => {
  const spread = seen(first, second);
  expect(spread.executionsIndex).toEqual(executions === undefined ? undefined : expect.closeTo(executions, 6));
  expect(spread.cpuIndex).toEqual(cpu === undefined ? undefined : expect.closeTo(cpu, 6));
});

test('only components of n8n with several processes share work', () => {
  expect(measureSpreads(buildPassingRun()).map((s) => [s.component, s.processes.length])).toEqual([
    ['webhook', 2],
    ['worker', 2],
  ]);
  expect(measureSpreads(buildHostileRun())).toEqual([]);
});

test('the plot shows executions where they are counted, else CPU time, with an equal share as a line', () => {
  const [webhook, worker] = measureSpreads(buildPassingRun()).map(spreadPlot);
  expect(webhook!.title).toBe('Executions by process: webhook');
  expect(webhook!.note).toContain('0.986');
  const [marks, bars] = webhook!.option.series as any[];
  const [a, b] = bars.data.map(([, n]: [string, number]) => n);
  expect(marks.markLine.data[0].yAxis).toBe((a + b) / 2);
  expect(worker!.title).toBe('CPU seconds by process: worker');
});
