import { judgeSteps } from '../../../capacity/src/judge/run.js';
import { clockAxis, CROSS, niceCeil, type Plot } from '../../../capacity/src/report/html/plot.js';
import { hasRates, latencyByRate, medians, throughputByRate } from '../../../capacity/src/report/html/rate-plots.js';
import { stepOverTime } from '../../../capacity/src/report/html/step-plots.js';
import { databasePlots } from '../../../capacity/src/report/html/database-plots.js';
import { componentPlots, queuePlot, requestsPlot } from '../../../capacity/src/report/html/time-plots.js';
import { buildHostileRun, buildPassingRun, buildSamples, step } from '../support/index.js';

const run = buildPassingRun();
const verdict = judgeSteps(run.run.plan, run.steps);
const load = verdict.loads[0]!;
const series = (plot: Plot, name: string, type = 'line'): any =>
  (plot.option.series as any[]).find((s) => s.name === name && s.type === type);

describe('against the arrival rate', () => {
  const latency = latencyByRate(load, run.run.plan.slo);

  test('steps in any order and repeats make one line from left to right', () => {
    const at = (rate: number, value: number, verdict: 'PASS' | 'FAIL' | 'INCONCLUSIVE' = 'PASS') => ({
      rate,
      value,
      verdict,
    });
    expect(
      medians([at(80, 9, 'FAIL'), at(40, 2), at(60, 3), at(60, 7, 'FAIL'), at(60, 4), at(50, 1, 'INCONCLUSIVE')]),
    ).toEqual([
      [40, 2],
      [60, 4],
      [80, 9],
    ]);
  });

  test('every step is a point, and a verdict has a shape', () => {
    const points = series(latency, 'p95', 'scatter').data;
    expect(points).toHaveLength(12);
    expect(points[0]).toMatchObject({ value: [5, 0.021], symbol: 'circle' });
    expect(points[4]).toMatchObject({ value: [80, 2.4], symbol: CROSS, itemStyle: { color: 'var(--fail)' } });
    expect(points[11]).toMatchObject({ symbol: 'triangle', itemStyle: { borderColor: 'var(--inconclusive)' } });
  });

  test('objectives and the knee are lines, rates that did not hold are shaded', () => {
    const marks = series(latency, 'marks');
    expect(marks.markLine.data.map((line: any) => line.label.formatter)).toEqual([
      'sustained 64/s',
      'p95 objective 800 ms',
      'p99 objective 2.00 s',
    ]);
    expect(marks.markArea.data).toMatchObject([[{ xAxis: 66 }, { xAxis: 100 }]]);
  });

  test('the scale holds what is drawn, however short or long', () => {
    expect(latency.option.yAxis).toMatchObject({ type: 'log', min: 0.001, max: 10 });
    const single = (p95: number) =>
      latencyByRate({ ...load, steps: [{ ...load.steps[0]!, step: step({ p95 }) }] }, { errors: 0 });
    expect(single(0).option.yAxis).toMatchObject({ min: 0.001 });
    expect(single(0).note).toContain('1 ms');
    expect(single(30).option.yAxis).toMatchObject({ max: 100 });
  });

  test('a step without an answer has no latency, and the note says so', () => {
    const base = step({ index: 3 });
    const silent = { ...load.steps[4]!, step: { ...base, summary: { ...base.summary, latency: null } } };
    const plot = latencyByRate({ ...load, steps: [load.steps[0]!, silent] }, run.run.plan.slo);
    expect(series(plot, 'p50', 'scatter').data).toHaveLength(1);
    expect(plot.note).toContain('step 4');
    const none = latencyByRate({ ...load, steps: [silent] }, { errors: 0 });
    expect(none.option.yAxis).toMatchObject({ min: 1, max: 10 });
  });

  test('throughput is that of the measured part, and completed comes from the samples', () => {
    const plot = throughputByRate(load, run.samples);
    expect(series(plot, 'offered').data.at(-1)).toEqual([80, 80]);
    expect(series(plot, 'completed').data.at(-1)).toEqual([80, 58]);
    expect(series(plot, 'offered', 'scatter')).toBeUndefined();
    expect(throughputByRate(load, []).note).toContain('step 1, step 2,');
  });

  test('a tooltip lists every step of its rate', () => {
    expect(latency.tips!['64']!.text).toMatch(/step 9, unproven.*step 10, sustained/s);
  });

  test.each([
    ['a search', run.steps, true],
    ['one rate, twice', [step(), step({ index: 1 })], false],
    ['a closed step', buildHostileRun().steps, false],
  ])('%s has rates to compare: %s', (_what, steps, expected) => {
    expect(hasRates({ ...load, steps: steps.map((s) => ({ ...load.steps[0]!, step: s })) })).toBe(expected);
  });
});

test('a step alone is drawn second by second', () => {
  const [latency, requests] = stepOverTime(load.load, load.steps[0]!.step);
  expect(series(latency, 'p50').data).toHaveLength(10);
  expect(series(requests, 'answered').data[9]).toEqual([9, 5]);
});

describe('over time', () => {
  const plots = componentPlots(run, verdict);

  test('a pair of plots a component, a line an instance, with the limits', () => {
    expect(plots.map((p) => p.component)).toEqual(['main', 'webhook', 'worker', 'postgresql', 'redis']);
    const { memory, cpu } = plots[2]!;
    expect(memory.keys.map((k) => k.name)).toEqual([
      'n8n-tuned-worker-0',
      'n8n-tuned-worker-1',
      'n8n-tuned-worker-0 heap used',
      'n8n-tuned-worker-1 heap used',
    ]);
    expect(series(memory, 'marks').markLine.data.map((l: any) => [l.label.formatter, l.yAxis])).toEqual([
      ['memory limit 1536 MiB', 1536],
      ['heap limit 1024 MiB', 1024],
    ]);
    expect(series(cpu, 'marks').markLine.data).toMatchObject([{ yAxis: 1 }]);
    expect((memory.option.yAxis as any).max).toBeGreaterThan(1536);
    expect(series(memory, 'n8n-tuned-worker-0').data).toHaveLength(180);
  });

  test('steps are shaded and numbered, a broken one by a sign too', () => {
    const bands = series(plots[0]!.memory, 'marks').markArea.data;
    expect(bands.map(([from]: any) => from.name)).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5 ✕',
      '6',
      '7 ✕',
      '8',
      '9 ?',
      '10',
      '11 ✕',
      '12 ?',
    ]);
    expect(bands[1]).toMatchObject([{ xAxis: 18 }, { xAxis: 28 }]);
  });

  test('deaths are lines with their reason, restarts triangles; labels that would overlap are left out', () => {
    const at = run.samples[0]!.at;
    const event = { instance: 'n8n-tuned-main-0', component: 'main' as const, detail: '' };
    const events = [
      { ...event, at: at + 20_000, kind: 'died' as const, reason: 'OOMKilled' as const },
      { ...event, at: at + 20_500, kind: 'restarted' as const },
      { ...event, at: at + 25_000, kind: 'died' as const, reason: 'Crash' as const },
      { ...event, at: at + 90_000, kind: 'probe-failed' as const },
    ];
    const [main, webhook] = componentPlots({ ...run, events }, verdict);
    const marks = series(main!.cpu, 'marks');
    expect(marks.markLine.data.slice(1).map((l: any) => [l.xAxis, l.label.formatter])).toEqual([
      [20, '✕ OOMKilled'],
      [25, ''],
      [90, '✕ probe failed'],
    ]);
    expect(marks.markPoint.data).toEqual([{ coord: [20.5, 0] }]);
    expect(main!.memory.alternative).toContain('OOMKilled');
    expect(series(webhook!.cpu, 'marks').markLine.data).toHaveLength(1);
  });

  test('limits that were not enforced say so', () => {
    const hostile = buildHostileRun();
    const [{ memory }] = componentPlots(hostile, judgeSteps(hostile.run.plan, hostile.steps)) as any;
    expect(series(memory, 'marks').markLine.data[0].label.formatter).toBe('memory limit 1024 MiB (not enforced)');
  });

  test('the queue has its slots; without samples of it there is no plot', () => {
    expect(series(queuePlot(run, verdict)!, 'marks').markLine.data).toMatchObject([
      { yAxis: 40, label: { formatter: '40 slots' } },
    ]);
    expect(
      queuePlot({ ...run, samples: buildSamples(run.run, run.steps).map(({ queue: _, ...s }) => s) }, verdict),
    ).toBeUndefined();
  });
});

test('requests of all processes that admit them, with their limit; without overload protection there is no plot', () => {
  const admission = { underWay: 7, waiting: 3, limit: 51, refused: 0 };
  const admits = ({ name }: { name: string }) => /webhook|worker-0/.test(name);
  const samples = run.samples.map((s) => ({
    ...s,
    instances: s.instances.map((i) => (admits(i) ? { ...i, admission } : i)),
  }));
  const processes = samples[0]!.instances.filter(admits).length;
  const plot = requestsPlot({ ...run, samples }, verdict)!;
  expect(series(plot, 'under way').data[0][1]).toBe(7 * processes);
  expect(series(plot, 'waiting').data[0][1]).toBe(3 * processes);
  expect(series(plot, 'marks').markLine.data).toMatchObject([{ yAxis: 51 * processes }]);
  expect(requestsPlot(run, verdict)).toBeUndefined();
});

describe('PostgreSQL over time', () => {
  const [transactions, connections] = databasePlots(run, verdict)!;

  test('transactions are those between one look and the next', () => {
    const data = series(transactions, 'transactions').data;
    expect(data).toHaveLength(run.samples.length - 1);
    expect(data.slice(0, 3)).toEqual([
      [1, 100],
      [2, 100],
      [3, 100],
    ]);
  });

  test('a look that is missing is bridged by the next', () => {
    const gap = run.samples.map((s, i) => (i === 2 ? { ...s, database: undefined! } : s));
    const [bridged] = databasePlots({ ...run, samples: gap }, verdict)!;
    expect(series(bridged, 'transactions').data.slice(0, 2)).toEqual([
      [1, 100],
      [3, 100],
    ]);
  });

  test('connections have the size of the pool, and the requests that wait', () => {
    expect(connections.keys.map((k) => k.name)).toEqual([
      'active',
      'in transaction',
      'idle',
      'requests waiting for a connection',
    ]);
    expect(series(connections, 'marks').markLine.data).toMatchObject([{ yAxis: 20 }]);
  });

  test('without samples of it there is no plot', () => {
    expect(databasePlots({ ...run, samples: run.samples.map(({ database: _, ...s }) => s) }, verdict)).toBeUndefined();
  });
});

test.each([
  [0, 1],
  [1, 1],
  [0.11, 0.15],
  [66, 80],
  [1106, 1500],
  [2048, 2500],
  [9.99, 10],
])('an axis for %d ends at %d', (value, end) => {
  expect(niceCeil(value)).toBeCloseTo(end);
});

test.each([
  [34, 5, false],
  [60, 10, true],
  [179, 30, false],
  [3600, 600, true],
  [1e6, 86_400, false],
])('a clock of %d s is labelled every %d s', (seconds, interval, end) => {
  expect(clockAxis('time', seconds)).toMatchObject({
    min: 0,
    max: seconds,
    interval,
    axisLabel: { showMaxLabel: end },
  });
});
