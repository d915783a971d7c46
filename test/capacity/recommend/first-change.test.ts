import type { StepRecord } from '../../../capacity/src/model/step.js';
import type { InstanceEvent } from '../../../capacity/src/model/events.js';
import type { Sample } from '../../../capacity/src/model/sample.js';
import { judgeSteps } from '../../../capacity/src/judge/run.js';
import { kneeSteps } from '../../../capacity/src/judge/knee.js';
import { firstChange, firstChangeFor } from '../../../capacity/src/recommend/first-change.js';
import { changeText } from '../../../capacity/src/recommend/variables.js';
import { buildGoodStep, buildPlan, regularDeployment } from '../support/index.js';

const GIB = 2 ** 30;

/** Ten seconds in which each instance uses so many cores and so much memory. */
function samples(use: Record<string, { cores: number; rss: number }>, queue?: Sample['queue']): Sample[] {
  return Array.from({ length: 11 }, (_, i) => ({
    at: 1_000_000 + i * 1000,
    instances: Object.entries(use).map(([name, { cores, rss }]) => ({
      name,
      rssBytes: rss,
      cpuSeconds: 100 + cores * i,
      processes: 2,
    })),
    ...(queue && { queue }),
  }));
}

const slow = { latency: { p50: 1, p95: 2, p99: 3, max: 4 } };
const died = (reason: InstanceEvent['reason']): InstanceEvent => ({
  at: 1,
  instance: 'main-0',
  component: 'main',
  kind: 'died',
  detail: 'x',
  reason: reason!,
});
const idle = { 'main-0': { cores: 0.2, rss: GIB } };

const queue = regularDeployment({
  mode: 'queue',
  slots: 10,
  instances: [
    { name: 'main-0', component: 'main', limits: { cpuMillis: 1000, memoryBytes: GIB } },
    { name: 'worker-0', component: 'worker', limits: { cpuMillis: 1000, memoryBytes: GIB } },
    { name: 'webhook-0', component: 'webhook', limits: { cpuMillis: 500, memoryBytes: GIB } },
  ],
});
const withRedis = {
  ...queue,
  instances: [
    ...queue.instances,
    { name: 'redis-0', component: 'redis' as const, limits: { cpuMillis: 1000, memoryBytes: GIB } },
  ],
};
const quiet = { cores: 0.1, rss: GIB / 2 };

describe('firstChange', () => {
  const cases: [string, ReturnType<typeof regularDeployment>, StepRecord, Sample[], string | undefined, string[]][] = [
    [
      'own mode, whatever else happened',
      regularDeployment({ process: 'own' }),
      buildGoodStep({ events: [died('OOMKilled')] }),
      samples(idle),
      'executions.process',
      ['main'],
    ],
    [
      'an OOM kill',
      regularDeployment(),
      buildGoodStep({ events: [died('OOMKilled')] }),
      samples({ 'main-0': { cores: 1, rss: 2 * GIB } }),
      'main.resources.limits.memory',
      ['3Gi', 'overload.requestMegabytes', 'version 1 of the Webhook node', '2048 MiB'],
    ],
    [
      'a V8 heap limit',
      regularDeployment(),
      buildGoodStep({ events: [died('V8HeapLimit')] }),
      samples(idle),
      'main.heap.n8n',
      ['main-0', '1051 MiB'],
    ],
    [
      'one busy process',
      regularDeployment(),
      buildGoodStep({ summary: slow }),
      samples({ 'main-0': { cores: 0.97, rss: GIB } }),
      'executions.mode',
      ['queue', '0.97 cores of 1'],
    ],
    [
      'a process throttled below one core',
      regularDeployment({ instances: [{ name: 'main-0', component: 'main', limits: { cpuMillis: 500 } }] }),
      buildGoodStep({ summary: slow }),
      samples({ 'main-0': { cores: 0.5, rss: GIB } }),
      'main.resources.limits.cpu',
      ['0.50 cores of 0.5'],
    ],
    [
      'full slots while workers idle',
      queue,
      buildGoodStep({ summary: slow }),
      samples({ 'main-0': quiet, 'worker-0': quiet, 'webhook-0': quiet }, { waiting: 20, active: 10 }),
      'worker.concurrency',
      ['10 slots', '20 jobs'],
    ],
    [
      'full slots while workers are busy',
      queue,
      buildGoodStep({ summary: slow }),
      samples({ 'main-0': quiet, 'worker-0': { cores: 1, rss: GIB }, 'webhook-0': quiet }, { waiting: 20, active: 10 }),
      'worker.replicas',
      ['10 slots', '1.00 cores'],
    ],
    [
      'busy webhook processors',
      queue,
      buildGoodStep({ summary: slow }),
      samples({ 'main-0': quiet, 'worker-0': quiet, 'webhook-0': { cores: 0.5, rss: GIB } }, { waiting: 0, active: 2 }),
      'webhook.resources.limits.cpu',
      ['0.50 cores of 0.5'],
    ],
    [
      'a failed probe of a busy process',
      regularDeployment(),
      buildGoodStep({ events: [died('LivenessProbe')] }),
      samples({ 'main-0': { cores: 0.97, rss: GIB } }),
      'executions.mode',
      ['0.97 cores of 1'],
    ],
    [
      'a failed probe of an idle process',
      regularDeployment(),
      buildGoodStep({ events: [died('LivenessProbe')] }),
      samples(idle),
      undefined,
      ['main-0', 'probe'],
    ],
    [
      'a crash',
      regularDeployment(),
      buildGoodStep({ events: [died('Crash')] }),
      samples(idle),
      undefined,
      ['main-0', 'log'],
    ],
    [
      'a busy Redis',
      withRedis,
      buildGoodStep({ summary: slow }),
      samples({ 'main-0': quiet, 'redis-0': { cores: 0.99, rss: GIB } }),
      'redis.resources.limits.cpu',
      ['redis-0', '0.99 cores of 1'],
    ],
    [
      'a held event loop',
      queue,
      buildGoodStep({ summary: slow }),
      samples({ 'worker-0': quiet }).map((s) => ({
        ...s,
        instances: s.instances.map((i) => ({ ...i, eventLoopLagP99Seconds: 0.8 })),
      })),
      'worker.replicas',
      ['800 ms'],
    ],
    [
      'memory at its limit, before the kernel acts, where executions are limited',
      regularDeployment({ slots: 50 }),
      buildGoodStep({ summary: slow }),
      samples({ 'main-0': { cores: 0.2, rss: 2 * GIB } }),
      'main.resources.limits.memory',
      ['3Gi', '2048 MiB'],
    ],
    ['nothing at its limit', regularDeployment(), buildGoodStep({ summary: slow }), samples(idle), undefined, []],
  ];

  test.each(cases)('%s', (_, deployment, step, seen, value, facts) => {
    const change = firstChange(deployment, judgeSteps(buildPlan(), [step]), seen)!;
    expect(change.value).toBe(value);
    for (const fact of facts) expect(changeText(change)).toContain(fact);
    expect(changeText(change)).toMatch(/[^.]\.$/);
  });

  describe('of the lowest rate that was not sustained', () => {
    const at = (rate: number, index: number, changes: Parameters<typeof buildGoodStep>[0] = {}) =>
      buildGoodStep({ rate, index, measuredFrom: 1_000_000 + index * 100_000, ...changes });
    const held = at(16, 0);
    const killed = at(32, 1, { events: [died('OOMKilled')] });
    const late = at(23, 2, { summary: slow });
    const busy = samples({ 'main-0': { cores: 0.99, rss: GIB } }).map((s) => ({ ...s, at: s.at + 200_000 }));

    test('a step above it that was OOM-killed says nothing: 32/s died, 23/s was late', () => {
      const verdict = judgeSteps(buildPlan(), [held, killed, late]);
      expect(verdict).toMatchObject({ loads: [{ broken: 23 }] });
      expect(firstChange(regularDeployment(), verdict, busy)!.value).toBe('executions.mode');
    });

    test('also where the answer is a capacity', () => {
      const verdict = judgeSteps(buildPlan(), [held, late]);
      expect(verdict).toMatchObject({ verdict: 'CAPACITY', loads: [{ capacity: 16, broken: 23 }] });
      expect(changeText(firstChange(regularDeployment(), verdict, busy)!)).toContain('0.99 cores of 1');
      expect(firstChangeFor(regularDeployment(), verdict.loads[0]!, busy)!.value).toBe('executions.mode');
    });

    test('a disturbed try of that rate says nothing', () => {
      const disturbed = at(23, 3, { summary: slow, machine: { cores: 2, busyCores: 2, otherCores: 1, takenCores: 1 } });
      const verdict = judgeSteps(buildPlan(), [held, disturbed, late]);
      expect(kneeSteps(verdict.loads[0]!).map((s) => s.step.index)).toEqual([2]);
    });

    test('memory, where nothing but memory was wrong, though the CPU was busy', () => {
      const full = { instance: 'main-0', component: 'main' as const, usedBytes: 1.9 * GIB, limitBytes: 2 * GIB };
      const used = samples({ 'main-0': { cores: 0.99, rss: 1.9 * GIB } }).map((s) => ({ ...s, at: s.at + 200_000 }));
      const inTime = judgeSteps(buildPlan(), [held, at(23, 2, { memory: [full] })]);
      expect(firstChange(regularDeployment(), inTime, used)!.value).toBe('main.resources.limits.memory');
      const tooLate = judgeSteps(buildPlan(), [held, at(23, 2, { memory: [full], summary: slow })]);
      expect(firstChange(regularDeployment(), tooLate, used)!.value).toBe('executions.mode');
    });
  });

  test('a full thread wants another process, a full container with an idle thread more CPU', () => {
    const used = (thread: number) =>
      samples({ 'main-0': { cores: 0.99, rss: GIB } }).map((s, i) => ({
        ...s,
        instances: s.instances.map((x) => ({ ...x, threadCpuSeconds: thread * i })),
      }));
    const verdict = judgeSteps(buildPlan(), [buildGoodStep({ summary: slow })]);
    expect(firstChange(regularDeployment(), verdict, used(0.97))!.value).toBe('executions.mode');
    const change = firstChange(regularDeployment(), verdict, used(0.5))!;
    expect(change.value).toBe('main.resources.limits.cpu');
    expect(changeText(change)).toContain('50 %');
  });

  test('full of requests: memory decides their number in regular mode, the slots of the workers in queue mode', () => {
    const full = { underWay: 20, waiting: 5, limit: 20, refused: 0 };
    const verdict = judgeSteps(buildPlan(), [buildGoodStep({ summary: slow })]);
    const of = (
      deployment: ReturnType<typeof regularDeployment>,
      instance: string,
      others: Record<string, typeof quiet> = {},
    ) => {
      const seen = samples({ [instance]: quiet, ...others }).map((s) => ({
        ...s,
        instances: s.instances.map((i) => (i.name === instance ? { ...i, admission: full } : i)),
      }));
      return firstChange(deployment, verdict, seen)!;
    };
    const alone = of(regularDeployment(), 'main-0');
    expect(alone).toMatchObject({ value: 'overload.maxRequests' });
    expect(changeText(alone)).toContain('main.resources.limits.memory');
    const others = { 'main-0': quiet, 'worker-0': quiet };
    expect(of(queue, 'webhook-0', others)).toMatchObject({ value: 'worker.concurrency' });
  });

  test.each([
    ['no value of the chart adds cores to the machine', 1.9, ['98 %', 'more cores', 'kubernetes']],
    ['more cores do not help against other processes', 1.2, ['98 %', 'Stop the other processes', '0.76']],
  ])('%s', (_, own, facts) => {
    const used = samples({ 'main-0': { cores: 0.6, rss: GIB } }).map((s, i) => ({
      ...s,
      host: { cores: 2, totalSeconds: 2 * i, busySeconds: 1.96 * i, ownSeconds: own * i },
    }));
    const change = firstChange(regularDeployment(), judgeSteps(buildPlan(), [buildGoodStep({ summary: slow })]), used)!;
    expect(change.value).toBeUndefined();
    for (const fact of facts) expect(changeText(change)).toContain(fact);
  });

  test('nothing to change where nothing broke', () => {
    expect(firstChange(regularDeployment(), judgeSteps(buildPlan(), [buildGoodStep()]), [])).toBeUndefined();
  });
});
