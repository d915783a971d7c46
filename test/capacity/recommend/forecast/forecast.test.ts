import { join } from 'node:path';
import { repositoryFolder } from '../../../../capacity/src/core/paths.js';
import { findSmallestArrangement } from '../../../../capacity/src/recommend/forecast/arrange.js';
import {
  clusterArrangement,
  recordedArrangement,
  queueModeRequestLimit,
  withSinglePods,
  withPods,
  type Arrangement,
} from '../../../../capacity/src/recommend/forecast/arrangement.js';
import { forecastRate } from '../../../../capacity/src/recommend/forecast/forecast.js';
import { checkForecasts } from '../../../../capacity/src/recommend/forecast/next-step.js';
import { predictRate, predictCapacity } from '../../../../capacity/src/recommend/forecast/predict.js';
import { buildProfile } from '../../../../capacity/src/recommend/forecast/profile.js';
import { usedShares, buildSystem } from '../../../../capacity/src/recommend/forecast/system.js';
import { summarizeForecast } from '../../../../capacity/src/features/forecast/summary.js';
import { forecastSettings } from '../../../../capacity/src/features/forecast/values.js';
import { readRun, type RecordedRun } from '../../../../capacity/src/record/recorder.js';
import { QUEUE, REGULAR, simulatedRun } from './simulated-run.js';

const SLO = { p95: 0.8, p99: 2, errors: 0.01 };
const profileRun = ({ run, steps, samples }: RecordedRun) => buildProfile(run, run.plan.loads[0]!, steps, samples)!;
const forecastLoad = (run: RecordedRun, rate: number) => forecastRate(run, run.run.plan.loads[0]!, rate)!;

describe('the cost of an execution', () => {
  test.each([REGULAR, QUEUE])('is fitted for every component, apart from its use without load: %#', (truth) => {
    const { costs, serial } = profileRun(simulatedRun(truth, { noise: 0 }));
    for (const [component, { cpu, thread, idle }] of Object.entries(truth)) {
      const found = costs.components.get(component as 'main')!;
      expect(found.cpu.slope).toBeCloseTo(cpu, 6);
      expect(found.cpu.intercept).toBeCloseTo(idle, 6);
      if (thread !== undefined) expect(serial.get(component as 'main')).toMatchObject({ source: 'recorded' });
      expect(serial.get(component as 'main')!.thread).toBeCloseTo(thread ?? cpu, 6);
    }
  });

  test('includes transactions, rows and commands', () => {
    const { costs } = profileRun(simulatedRun(QUEUE));
    expect(costs.transactions!.slope).toBeCloseTo(20);
    expect(costs.rowsWritten!.slope).toBeCloseTo(4);
    expect(costs.redisCommands!.slope).toBeCloseTo(30);
  });

  test('lies in its interval in 95 of 100 runs', () => {
    const runs = 150;
    let held = 0;
    for (let seed = 1; seed <= runs; seed++) {
      const { cpu } = profileRun(
        simulatedRun(REGULAR, { seed, noise: 0.03, rates: [4, 8, 12, 16] }),
      ).costs.components.get('main')!;
      if (Math.abs(cpu.slope - REGULAR.main!.cpu) <= cpu.slopeError!) held++;
    }
    expect(held / runs).toBeGreaterThan(0.9);
  });

  test('needs three rates; threads that were not recorded are bounded by the latency of an idle n8n', () => {
    const run = simulatedRun(REGULAR, { rates: [2, 4] });
    expect(profileRun(run)).toBeUndefined();
    const { samples } = simulatedRun(REGULAR);
    const bare = samples.map((s) => ({
      ...s,
      instances: s.instances.map(({ threadCpuSeconds: _, ownCpuSeconds: __, ...i }) => i),
    }));
    const { serial } = profileRun({ ...simulatedRun(REGULAR), samples: bare });
    expect(serial.get('main')).toMatchObject({ source: 'bounded', thread: expect.closeTo(0.035) });
  });
});

test.each(['main', 'worker', 'webhook'] as const)('without samples of %s nothing is forecast', (component) => {
  const { samples, ...run } = simulatedRun(component === 'main' ? REGULAR : QUEUE);
  const blind = samples.map((s) => ({ ...s, instances: s.instances.filter((i) => !i.name.includes(component)) }));
  expect(samples.some((s, i) => s.instances.length > blind[i]!.instances.length)).toBe(true);
  const seen = { ...run, samples: blind };
  expect(profileRun(seen)).toBeUndefined();
  expect(forecastRate(seen, run.run.plan.loads[0]!, 10)).toBeUndefined();
});

describe('what a deployment takes', () => {
  test('main has one thread, and at most its CPU limit', () => {
    const run = simulatedRun(REGULAR, { noise: 0 });
    const found = profileRun(run);
    // 1 core less 0.05 without load, 45 ms each: 21.1/s; its thread would take 31.7/s.
    const limited = predictCapacity(found, recordedArrangement(run.run), SLO);
    expect(limited).toBeGreaterThan(0.85 * 21.1);
    expect(limited).toBeLessThan(21.1);
    const [fullest] = predictRate(found, recordedArrangement(run.run), 30, SLO).shares;
    expect(fullest).toMatchObject({ resource: 'cpu', component: 'main' });
    const start = clusterArrangement(run.run);
    const wide = { ...start, components: new Map(start.components).set('main', { replicas: 1, cores: 2 }) };
    // SQLite has one writer: main's thread waits for it for a quarter of its time.
    expect(predictCapacity(found, wide, SLO)).toBeGreaterThan(0.85 * 0.75 * 31.7);
    expect(predictCapacity(found, wide, SLO)).toBeLessThan(0.75 * 31.7);
    const { sqlite: _, ...postgresql } = wide;
    expect(predictCapacity(found, postgresql, SLO)).toBeGreaterThan(0.85 * 31.7);
    expect(predictRate(found, postgresql, 40, SLO).shares[0]).toMatchObject({ resource: 'thread' });
  });

  test('the overload protection limits requests that wait, but not executions that another component continues', () => {
    const held = { waitSeconds: 0.5, maxRequests: 4 };
    const regular = simulatedRun(REGULAR, { noise: 0 });
    const slow = { ...profileRun(regular), ...held };
    const arrangement = recordedArrangement(regular.run);
    // 4 places of 0.53 s.
    expect(predictCapacity(slow, arrangement, SLO)).toBeLessThan(7.6);
    expect(predictCapacity(slow, arrangement, SLO)).toBeGreaterThan(3.5);
    expect(predictRate(slow, arrangement, 8, SLO).shares[0]).toMatchObject({ resource: 'requests', component: 'main' });

    const queue = simulatedRun(QUEUE, { noise: 0 });
    const pods = recordedArrangement(queue.run);
    const capacity = (answersEarly: boolean) =>
      predictCapacity({ ...profileRun(queue), ...held, answersEarly }, pods, SLO);
    // Two webhook processors of 4 places of 0.5 s; 20 slots of workers.
    expect(capacity(false)).toBeLessThan(16);
    expect(capacity(true)).toBeGreaterThan(25);
  });

  test('in queue mode the limit of requests follows slots and pods, unless the values set it', () => {
    const queue = simulatedRun(QUEUE, { noise: 0 });
    const recorded = recordedArrangement(queue.run);
    expect(queueModeRequestLimit(recorded)).toBe(15);
    const four = withPods(recorded, 'webhook', { replicas: 4 });
    const more = withPods(four, 'worker', { replicas: 12 });
    expect([four, more].map(queueModeRequestLimit)).toEqual([8, 45]);
    // Executions of 10 s: the pods work on 20, or on 120 of them at once.
    const share = (maxRequests: number, arrangement: Arrangement) =>
      usedShares({ ...profileRun(queue), waitSeconds: 10, maxRequests }, arrangement, 2).find(
        (s) => s.resource === 'requests',
      )!.share;
    expect(share(15, more)).toBeCloseTo(20 / 180, 1);
    expect(share(7, more)).toBeCloseTo(20 / 28, 1);
  });

  test('the limit of requests is that of the record', () => {
    const run = simulatedRun(REGULAR);
    const admission = { underWay: 1, waiting: 0, limit: 51, refused: 0 };
    const samples = run.samples.map((s) => ({ ...s, instances: s.instances.map((i) => ({ ...i, admission })) }));
    expect(profileRun({ ...run, samples }).maxRequests).toBe(51);
    // The last sample may have failed, or be of an n8n that died.
    expect(profileRun({ ...run, samples: [...samples.slice(0, -1), run.samples.at(-1)!] }).maxRequests).toBe(51);
    expect(profileRun(run).maxRequests).toBeUndefined();
  });

  test('a stricter objective takes less', () => {
    const run = simulatedRun(REGULAR);
    const of = (p95: number) => predictCapacity(profileRun(run), recordedArrangement(run.run), { ...SLO, p95 });
    expect(of(0.06)).toBeLessThan(0.8 * of(0.8));
    expect(of(0.001)).toBe(0);
  });
});

describe('the smallest arrangement', () => {
  const arrangeFor = (rate: number) => {
    const run = simulatedRun(QUEUE, { noise: 0 });
    const found = profileRun(run);
    const result = findSmallestArrangement(found, withSinglePods(clusterArrangement(run.run)), rate, SLO);
    if ('impossible' in result) throw new Error(JSON.stringify(result.impossible));
    return { found, ...result };
  };
  const replicas = (rate: number, component: 'worker' | 'webhook') =>
    arrangeFor(rate).arrangement.components.get(component)!.replicas;

  test.each([20, 150])('holds %d/s, and one worker fewer does not', (rate) => {
    const { found, arrangement, prediction } = arrangeFor(rate);
    expect(prediction.holds).toBe(true);
    const { replicas, ...pods } = arrangement.components.get('worker')!;
    // 30 ms of CPU on 1 core less 0.02: a worker takes at most 32.7/s.
    expect(replicas).toBeGreaterThanOrEqual(rate / 32.7);
    expect(replicas).toBeLessThanOrEqual(Math.ceil((rate / 32.7) * 1.25) + 1);
    const fewer = new Map(arrangement.components).set('worker', { ...pods, replicas: replicas - 1 });
    if (replicas > 1) expect(predictRate(found, { ...arrangement, components: fewer }, rate, SLO).holds).toBe(false);
  });

  test('a higher rate never needs fewer pods', () => {
    for (const component of ['worker', 'webhook'] as const) {
      const all = [10, 60].map((rate) => replicas(rate, component));
      expect(all).toEqual([...all].sort((a, b) => a - b));
    }
  });

  test('PostgreSQL gets the cores that it needs, and room for every connection', () => {
    const { found, arrangement } = arrangeFor(150);
    expect(arrangement.components.get('postgresql')!.cores).toBeGreaterThanOrEqual(1.5);
    const settings = forecastSettings(arrangement, found.recorded, 'x', { postgresql: { maxConnections: 30 } });
    const value = (path: string) => settings.find((s) => s.path.join('.') === path)?.value;
    const pods = ['main', 'worker', 'webhook'].map((c) => arrangement.components.get(c as 'main')!.replicas);
    expect(value('postgresql.maxConnections')).toBeGreaterThanOrEqual((pods.reduce((a, b) => a + b) + 1) * 20 + 10);
    // The default of the chart is enough for most.
    const byDefault = forecastSettings(arrangement, found.recorded, 'x', {});
    expect(byDefault.some((s) => s.path.at(-1) === 'maxConnections')).toBe(
      (pods.reduce((a, b) => a + b) + 1) * 20 + 10 > 200,
    );
    expect(value('worker.replicas')).toBe(pods[1]);
    expect(value('postgresql.resources.limits.cpu')).toMatch(/^\d+m$/);
  });

  test('a webhook processor is not given more requests than its memory holds', () => {
    const run = simulatedRun(QUEUE, { noise: 0 });
    const found = { ...profileRun(run), maxRequests: queueModeRequestLimit(recordedArrangement(run.run))! };
    const many = withPods(withSinglePods(clusterArrangement(run.run)), 'worker', { replicas: 30, slots: 10 });
    const requests = (memoryBytes: number) =>
      buildSystem(found, withPods(many, 'webhook', { memoryBytes }), 10).tiers.find((t) => t.requests !== undefined)!
        .requests;
    expect(requests(2 ** 30)).toBeLessThan(100);
    expect(requests(8 * 2 ** 30)).toBe(queueModeRequestLimit(many));
  });

  test('slots follow from the time for which executions hold them', () => {
    const run = simulatedRun(QUEUE, { noise: 0 });
    const loads = [
      { ...run.run.plan.loads[0]!, serviceSeconds: { 'webhook-ack': 5 }, executionSeconds: { 'webhook-ack': 5 } },
    ];
    const found = profileRun({ ...run, run: { ...run.run, plan: { ...run.run.plan, loads } } });
    const result = findSmallestArrangement(found, withSinglePods(clusterArrangement(run.run)), 40, SLO);
    if ('impossible' in result) throw new Error(JSON.stringify(result.impossible));
    const { replicas, slots } = result.arrangement.components.get('worker')!;
    expect(replicas * slots!).toBeGreaterThan(40 * 5);
    expect(replicas * slots!).toBeLessThan(40 * 5 * 1.6);
  });
});

describe('the conclusion', () => {
  test('names queue mode for a rate that one main cannot take', () => {
    const { verdict, conclusion, pods } = summarizeForecast(forecastLoad(simulatedRun(REGULAR), 100));
    expect(verdict).toBe('FAIL');
    expect(conclusion).toContain('executions.mode=queue');
    expect(pods).toEqual([]);
  });

  test('has an interval that grows with its errors, and a cost from the prices', () => {
    const summary = (noise: number) =>
      summarizeForecast(forecastLoad(simulatedRun(QUEUE, { noise, seed: 3 }), 150), {
        cpuHour: 0.03,
        memoryGibHour: 0.004,
      });
    const [precise, noisy] = [summary(0.01), summary(0.1)];
    expect(noisy.error).toBeGreaterThan(2 * precise.error!);
    const worker = (s: typeof precise) => s.pods.find((p) => p.component === 'worker')!;
    expect(worker(precise).least).toBeLessThanOrEqual(worker(precise).replicas);
    const spread = (s: typeof precise) => worker(s).most! - worker(s).least!;
    expect(spread(noisy)).toBeGreaterThan(spread(precise));
    const { totals } = precise;
    expect(totals!.perMonth!.value).toBeCloseTo((totals!.cores * 0.03 + totals!.memoryGib * 0.004) * 730.5);
    expect(summarizeForecast(forecastLoad(simulatedRun(QUEUE), 60)).totals).not.toHaveProperty('perMonth');
  });

  test('lists the doubts that the record cannot settle', () => {
    const { unknown } = forecastLoad(simulatedRun(QUEUE), 150);
    for (const part of ['never stressed', 'The highest rate', 'locks and disks', 'slow each other down'])
      expect(unknown.join(' ')).toContain(part);
    expect(forecastLoad(simulatedRun(REGULAR), 15).unknown.join(' ')).not.toContain('pool');
  });
});

describe('memory in flight', () => {
  /** A run with executions of 2 s. Main's memory grows by `each` bytes for each of them; `scatter` is added in every other step. */
  const withMemory = (each: number, scatter: number) => {
    const run = simulatedRun(REGULAR, { noise: 0 });
    const loads = run.run.plan.loads.map((load) => ({
      ...load,
      ...{ serviceSeconds: { 'webhook-ack': 2 }, executionSeconds: { 'webhook-ack': 2 } },
    }));
    const steps = run.steps.map((step) => ({
      ...step,
      backlog: step.backlog.map((look) => ({ ...look, executions: 2 * step.rate! })),
    }));
    const samples = run.samples.map((sample) => {
      const index = steps.findIndex((s) => sample.at <= s.measuredTo);
      const workingSetBytes = 3e8 + each * 2 * steps[index]!.rate! + scatter * (index % 2);
      return { ...sample, instances: sample.instances.map((i) => ({ ...i, workingSetBytes })) };
    });
    return { ...run, run: { ...run.run, plan: { ...run.run.plan, loads } }, steps, samples };
  };
  const forecastMemory = (run: RecordedRun, rate: number) => {
    const { arranged, unknown } = forecastLoad(run, rate);
    if ('impossible' in arranged) throw new Error(JSON.stringify(arranged.impossible));
    const share = arranged.prediction.shares.find((s) => s.resource === 'memory')?.share;
    return { share, unknown: unknown.filter((text) => text.includes('memory of main')) };
  };

  test('grows with the executions that are under way', () => {
    const run = withMemory(2e7, 1e5);
    const [low, high] = [forecastMemory(run, 6), forecastMemory(run, 15)];
    expect(low.share! * 2 ** 31).toBeCloseTo(3e8 + 12 * 2e7, -8);
    expect(high.share! - low.share!).toBeGreaterThan((15 * 2e7) / 2 ** 31);
    expect([...low.unknown, ...high.unknown]).toEqual([]);
  });

  test('is a doubt if the record does not show it and more executions are under way than in any step', () => {
    expect(forecastMemory(withMemory(0, 1e8), 6).unknown).toEqual([]);
    expect(forecastMemory(withMemory(0, 1e8), 15).unknown).toEqual([expect.stringContaining('may be too low')]);
    expect(forecastMemory(simulatedRun(REGULAR), 15).unknown).toEqual([expect.stringContaining('was not recorded')]);
  });
});

describe('each next step', () => {
  test('is forecast from those before it', () => {
    const { run, steps, samples } = simulatedRun(REGULAR, { noise: 0, rates: [2, 4, 8, 16] });
    const checked = checkForecasts(run, run.plan.loads[0]!, steps, samples);
    expect(checked.map((c) => c.step.rate)).toEqual([8, 16]);
    for (const { forecast, cores, held } of checked) {
      expect(forecast.cores).toBeCloseTo(cores!, 3);
      expect(held).toBe(forecast.holds);
    }
  });

  test('is forecast for a real run, docs/example-run', async () => {
    const recorded = await readRun(join(repositoryFolder, 'docs', 'example-run'));
    const { run, samples } = recorded;
    const load = run.plan.loads.find((l) => l.name === 'webhook-ack')!;
    const steps = recorded.steps.filter((s) => s.load === load.name);
    const checked = checkForecasts(run, load, steps, samples).filter((c) => c.held && c.cores !== undefined);
    expect(checked.length).toBeGreaterThan(1);
    // The speed of the machine changed in this run: its page says that the cost is known within two thirds.
    for (const { forecast, cores } of checked) expect(Math.abs(Math.log(cores! / forecast.cores))).toBeLessThan(0.4);
  });
});
