import type { RunRecord } from '../../../capacity/src/model/run.js';
import type { Sample } from '../../../capacity/src/model/sample.js';
import type { StepRecord } from '../../../capacity/src/model/step.js';
import type { RecordedRun } from '../../../capacity/src/record/recorder.js';
import { instance, buildLoad, buildPlan, buildRunRecord } from './runs.js';
import { buildGoodStep } from './steps.js';

const START = Date.UTC(2026, 10, 20, 9, 0, 0);

/** A step of the run in queue mode, at 10/s; its latencies follow from the p95. */
export function step({ p95 = 0.1, ...changes }: Partial<StepRecord> & { p95?: number } = {}): StepRecord {
  const { rate = 10, index = 0 } = changes;
  const latency = { p50: p95 / 3, p95, p99: p95 * 1.6, max: p95 * 2 };
  const measuredFrom = START + index * 15_000 + 3000;
  const { summary, ...base } = buildGoodStep({
    load: 'webhook-wait',
    rate,
    measuredFrom,
    measuredTo: measuredFrom + 10_000,
    endedAt: measuredFrom + 12_000,
    backlog: Array.from({ length: 10 }, (_, at) => ({ at, executions: 2 })),
    summary: { latency },
    ...changes,
  });
  const seconds = summary.seconds.slice(0, 10).map((second) => ({ ...second, p50: latency.p50 }));
  return { ...base, summary: { ...summary, seconds } };
}

/** A step whose requests are answered while its executions pile up. */
function overloadedStep(index: number, rate: number): StepRecord {
  const base = step({ index, rate, p95: 2.4 });
  const completed = Math.round(rate * 13 * 0.8);
  return {
    ...base,
    executions: { accepted: Math.round(rate * 13), completed, failed: 0, drainSeconds: 35 },
    backlog: base.backlog.map((_, at) => ({ at, executions: Math.round(at * rate * 0.2) })),
  };
}

/** The record of a run in queue mode. */
export function buildQueueRun(): RunRecord {
  return buildRunRecord({
    startedAt: new Date(START).toISOString(),
    plan: buildPlan({
      values: { files: ['profiles/queue-medium.yaml'], set: ['worker.replicas=2', 'webhook.replicas=2'] },
      loads: [buildLoad('webhook-wait', 0.5)],
      rates: { kind: 'search', start: 5, factor: 2, precision: 0.1, maxSteps: 14, lowest: 2 },
    }),
    versions: { n8n: '2.41.1', node: '24.11.0', k6: '2.2.0', helm: '4.3.1', chart: '0.1.0' },
    machine: { cpus: 8, memoryBytes: 32 * 2 ** 30, platform: 'linux x64' },
    deployment: {
      mode: 'queue',
      process: 'main',
      database: 'postgresdb',
      limits: { enforced: true, detail: 'cgroup v2' },
      slots: 40,
      poolSize: 4,
      instances: [
        instance('n8n-tuned-main-0', 'main', 1000, 1024, 640),
        instance('n8n-tuned-webhook-0', 'webhook', 500, 768, 512),
        instance('n8n-tuned-webhook-1', 'webhook', 500, 768, 512),
        instance('n8n-tuned-worker-0', 'worker', 1000, 1536, 1024),
        instance('n8n-tuned-worker-1', 'worker', 1000, 1536, 1024),
        instance('n8n-tuned-postgresql-0', 'postgresql', 1000, 512),
        instance('n8n-tuned-redis-0', 'redis', 250, 128),
      ],
    },
  });
}

/** A dozen steps of a search: upwards, beyond the capacity, then repeats near the capacity. */
export function buildQueueSteps(): StepRecord[] {
  const held = (index: number, rate: number, p95: number) => step({ index, rate, p95 });
  return [
    ...[
      held(0, 5, 0.021),
      held(1, 10, 0.022),
      held(2, 20, 0.026),
      held(3, 40, 0.058),
      overloadedStep(4, 80),
      held(5, 57, 0.19),
    ],
    ...[
      overloadedStep(6, 67),
      held(7, 62, 0.41),
      undecidedStep(8, 64),
      held(9, 64, 0.62),
      overloadedStep(10, 66),
      inconclusiveStep(11, 65),
    ],
  ];
}

/** A step too short to show whether its p95 is met. */
function undecidedStep(index: number, rate: number): StepRecord {
  const base = step({ index, rate, p95: 0.86 });
  return { ...base, summary: { ...base.summary, slow: { p95: Math.round(0.055 * base.summary.answered), p99: 0 } } };
}

/** A step in which the generator was the limit. */
const inconclusiveStep = (index: number, rate: number): StepRecord => {
  const base = step({ index, rate, p95: 0.7 });
  return { ...base, k6: { ...base.k6, cpuShare: 0.91 } };
};

/** Samples once a second over the steps; deterministic, with a periodic variation. */
export function buildSamples(run: RunRecord, steps: StepRecord[]): Sample[] {
  const seconds = steps.length * 15;
  const use = new Map(run.deployment.instances.map((i) => [i.name, 0]));
  let ended = 0;
  return Array.from({ length: seconds }, (_, second): Sample => {
    const at = START + second * 1000;
    const current = steps[Math.floor(second / 15)]!;
    const rate = second % 15 >= 1 && second % 15 <= 13 ? (current.rate ?? 8) : 0;
    const completing = Math.min(rate, 64 - (rate > 64 ? 6 : 0));
    ended += completing;
    const instances = run.deployment.instances.map(({ name, component, limits, heapMiB }, n) => {
      const load = Math.min(1, rate / 75);
      const ripple = 1 + 0.04 * Math.sin(second * (0.7 + n / 5));
      use.set(name, use.get(name)! + (limits.cpuMillis! / 1000) * (0.03 + 0.85 * load) * ripple);
      const rss = limits.memoryBytes! * (0.38 + 0.2 * load + (0.1 * second) / seconds) * ripple;
      return {
        name,
        rssBytes: Math.round(rss),
        cpuSeconds: use.get(name)!,
        processes: 1,
        ...(component === 'webhook' && { executions: Math.round(ended * (name.endsWith('0') ? 0.56 : 0.44)) }),
        ...(heapMiB && { pool: { active: Math.min(4, Math.round(load * 5)), size: 4, pending: load > 0.9 ? 3 : 0 } }),
        ...(heapMiB && { heapUsedBytes: heapMiB * 2 ** 20 * (0.35 + 0.25 * Math.abs(Math.sin(second / 6 + n))) }),
      };
    });
    return {
      at,
      instances,
      executions: { succeeded: ended, failed: 0 },
      database: {
        transactions: ended * 20,
        connections: { active: Math.round(rate / 10), idle: 6, inTransaction: 2, other: 0 },
        waiting: rate > 62 ? { Lock: 2 } : {},
      },
      queue: {
        waiting: Math.round(Math.max(0, rate - 62) * (second % 15) * 0.8),
        active: Math.round(Math.min(40, rate * 0.55)),
      },
    };
  });
}

/** A run in queue mode that finds its capacity: PASS. */
export function buildPassingRun(): RecordedRun {
  const run = buildQueueRun();
  const steps = buildQueueSteps();
  return { folder: 'results/queue', run, steps, samples: buildSamples(run, steps), events: [], rows: [] };
}

/** The recommendation for that run. */
export const recommendation = {
  title: 'Values that held',
  text: 'Sustains 64/s with these values. Give them to Helm as they are.',
  values: `# measured: results/queue, step 10\nworker:\n  replicas: 2\n  concurrency: 20\n  resources:\n    requests: { cpu: 800m, memory: 1536Mi }\n    limits: { cpu: 1000m, memory: 1536Mi }\n`,
};

/** A run in regular mode and the closed model, with one step in which main is killed. Every name contains markup. */
export function buildHostileRun(): RecordedRun {
  const markup = '<img src=x onerror=alert(1)>"\'</script><script>alert(2)</script>';
  const run = buildQueueRun();
  const death = {
    at: START + 8000,
    instance: markup,
    component: 'main' as const,
    kind: 'died' as const,
    reason: 'OOMKilled' as const,
    detail: markup,
  };
  const { rate: _, ...closed } = step({ load: markup, clients: 8, events: [death] });
  run.plan.rates = { kind: 'closed', clients: 8 };
  run.plan.loads = [
    { name: markup, parts: [{ workload: markup, weight: 1 }], serviceSeconds: {}, executionSeconds: {} },
  ];
  run.plan.values = { files: [markup], set: [markup] };
  run.deployment = {
    ...run.deployment,
    limits: { enforced: false, detail: markup },
    instances: [instance(markup, 'main', 1000, 1024)],
  };
  return {
    folder: 'results/hostile',
    run,
    steps: [closed],
    samples: buildSamples(run, [closed]),
    events: [death],
    rows: [],
  };
}
