import type { Component } from '../../../../capacity/src/model/events.js';
import type { RunRecord } from '../../../../capacity/src/model/run.js';
import type { InstanceSample, Sample } from '../../../../capacity/src/model/sample.js';
import type { StepRecord } from '../../../../capacity/src/model/step.js';
import type { RecordedRun } from '../../../../capacity/src/record/recorder.js';
import { seededRandom } from '../../../../capacity/src/stats/random.js';
import { instance, buildLoad, buildPlan, regularDeployment, buildRunRecord } from '../../support/runs.js';
import { buildGoodStep } from '../../support/steps.js';

/** The cost of an execution in all instances of a component: CPU-seconds, those on main threads, and cores without load. */
export interface TrueCost {
  cpu: number;
  thread?: number;
  idle: number;
}

export type Truth = Partial<Record<Component, TrueCost>>;

/** 30 ms on main's thread, 45 ms in all. */
export const REGULAR: Truth = { main: { cpu: 0.045, thread: 0.03, idle: 0.05 } };

export const QUEUE: Truth = {
  main: { cpu: 0.0005, thread: 0.0004, idle: 0.03 },
  webhook: { cpu: 0.01, thread: 0.008, idle: 0.04 },
  worker: { cpu: 0.03, thread: 0.02, idle: 0.04 },
  postgresql: { cpu: 0.01, idle: 0.01 },
  redis: { cpu: 0.001, idle: 0.01 },
};

const TRANSACTIONS = 20;
const SECONDS = 10;
const START = Date.UTC(2026, 0, 1);

/** How a simulated run differs from the usual one. */
interface Changes {
  rates?: number[];
  /** Standard deviation of a step's cost, as a share of it. */
  noise?: number;
  seed?: number;
  run?: RunRecord;
}

/** A run of steady steps on a deployment of known cost. */
export function simulatedRun(truth: Truth, changes: Changes = {}): RecordedRun {
  const { rates = [2, 4, 6, 9, 12], noise = 0.02, seed = 1, run = buildRecord(truth) } = changes;
  const random = seededRandom(seed);
  const counters = new Map<string, Counters>();
  const samples: Sample[] = [];
  const work = sum(Object.values(truth).map((c) => c.thread ?? c.cpu));
  const steps = rates.map((rate, index): StepRecord => {
    const measuredFrom = START + index * 20_000;
    const factor = 1 + noise * random.normal();
    for (let second = 0; second <= SECONDS; second++)
      samples.push(
        sampleAt(measuredFrom + second * 1000, second === 0 ? 0 : rate * factor, rate, truth, run, counters),
      );
    return buildGoodStep({
      index,
      rate,
      measuredFrom,
      measuredTo: measuredFrom + SECONDS * 1000,
      summary: { latency: { p50: work + 0.005, p95: work + 0.02, p99: work + 0.03, max: 0.2 } },
      backlog: Array.from({ length: SECONDS }, (_, at) => ({ at, executions: Math.round(rate * work) })),
    });
  });
  return { folder: 'results/simulated', run, steps, samples, events: [], rows: [] };
}

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

interface Counters {
  cpu: number;
  thread: number;
  ended: number;
  transactions: number;
}

/** The sample of the next second: every counter has grown by the cost of that second's executions. */
function sampleAt(
  at: number,
  charged: number,
  rate: number,
  truth: Truth,
  { deployment }: RunRecord,
  counters: Map<string, Counters>,
): Sample {
  const all = counters.get('') ?? { cpu: 0, thread: 0, ended: 0, transactions: 0 };
  if (charged > 0) {
    all.ended += rate;
    all.transactions += rate * TRANSACTIONS;
  }
  counters.set('', all);
  const instances = deployment.instances.map(({ name, component }): InstanceSample => {
    const { cpu, thread, idle } = truth[component]!;
    const replicas = deployment.instances.filter((i) => i.component === component).length;
    const mine = counters.get(name) ?? { cpu: 0, thread: 0, ended: 0, transactions: 0 };
    if (charged > 0) {
      mine.cpu += (idle + cpu * charged) / replicas;
      mine.thread += (idle + (thread ?? 0) * charged) / replicas;
    }
    counters.set(name, mine);
    return {
      name,
      rssBytes: 2 ** 29,
      workingSetBytes: 2 ** 29,
      cpuSeconds: mine.cpu,
      processes: 1,
      ...(thread !== undefined && { threadCpuSeconds: mine.thread, ownCpuSeconds: mine.cpu }),
    };
  });
  return {
    at,
    instances,
    executions: { succeeded: all.ended, failed: 0 },
    ...(deployment.mode === 'queue' && {
      queue: { waiting: 0, active: 0, commands: all.ended * 30 },
      database: {
        transactions: all.transactions,
        rowsWritten: all.ended * 4,
        connections: { active: 1, idle: 5, inTransaction: 0, other: 0 },
        waiting: {},
      },
    }),
  };
}

function buildRecord(truth: Truth): RunRecord {
  const machine = { cpus: 16, memoryBytes: 2 ** 35, platform: 'linux x64' };
  const loads = [buildLoad('webhook-ack')];
  const rates = { kind: 'rates' as const, rates: [2, 4, 6, 9, 12] };
  if (!truth.worker)
    return buildRunRecord({ machine, plan: buildPlan({ loads, rates }), deployment: regularDeployment() });
  return buildRunRecord({
    machine,
    plan: buildPlan({ loads, rates }),
    deployment: {
      mode: 'queue',
      process: 'main',
      database: 'postgresdb',
      limits: { enforced: true, detail: 'cgroup v2' },
      slots: 20,
      poolSize: 20,
      instances: [
        instance('main-0', 'main', 2000, 2048),
        instance('webhook-0', 'webhook', 1000, 1024),
        instance('webhook-1', 'webhook', 1000, 1024),
        instance('worker-0', 'worker', 1000, 2048),
        instance('worker-1', 'worker', 1000, 2048),
        instance('postgresql-0', 'postgresql', 1000, 1024),
        instance('redis-0', 'redis', 500, 512),
      ],
    },
  });
}
