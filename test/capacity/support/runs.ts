import type { LoadPlan, Plan } from '../../../capacity/src/model/plan.js';
import type { DeploymentRecord, RunRecord } from '../../../capacity/src/model/run.js';
import type { Component } from '../../../capacity/src/model/events.js';

const MIB = 2 ** 20;

/** A load of one workload, with the seconds that its answer and its execution take. */
export const buildLoad = (workload: string, seconds = 0): LoadPlan => ({
  name: workload,
  parts: [{ workload, weight: 1 }],
  serviceSeconds: { [workload]: seconds },
  executionSeconds: { [workload]: seconds },
});

/** The plan that good steps belong to: a search with webhook-ack. */
export function buildPlan(changes: Partial<Plan> = {}): Plan {
  return {
    values: { files: [], set: [] },
    loads: [buildLoad('webhook-ack')],
    rates: { kind: 'search', start: 5, factor: 2, precision: 0.2, maxSteps: 10, lowest: 2 },
    slo: { p95: 0.8, p99: 2, errors: 0.01 },
    stepSeconds: 10,
    warmupSeconds: 3,
    drainSeconds: 30,
    timeoutSeconds: 60,
    arrivals: { kind: 'poisson', seed: 1 },
    scriptEnv: {},
    overload: false,
    ...changes,
  };
}

/** An instance with its limits in millicores and MiB. */
export const instance = (
  name: string,
  component: Component,
  cpuMillis: number,
  memoryMiB: number,
  heapMiB?: number,
): DeploymentRecord['instances'][number] => ({
  name,
  component,
  limits: { cpuMillis, memoryBytes: memoryMiB * MIB },
  ...(heapMiB && { heapMiB }),
});

/** One main with 1 CPU and 2 GiB. */
export function regularDeployment(changes: Partial<DeploymentRecord> = {}): DeploymentRecord {
  return {
    mode: 'regular',
    process: 'main',
    database: 'sqlite',
    limits: { enforced: true, detail: 'cgroup v1' },
    instances: [{ ...instance('main-0', 'main', 1000, 2048, 1051), runnerHeapMiB: 517 }],
    ...changes,
  };
}

/** A run's own record, as `validate` writes it. */
export const buildRunRecord = (changes: Partial<RunRecord> = {}): RunRecord => ({
  tool: 'n8n-capacity validate',
  startedAt: '2026-11-20T10:00:00.000Z',
  plan: buildPlan(),
  versions: { n8n: '2.41.1', k6: '2.2.0' },
  machine: { cpus: 2, memoryBytes: 8 * 2 ** 30, platform: 'linux x64' },
  deployment: regularDeployment(),
  ...changes,
});
