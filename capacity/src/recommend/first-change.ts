import { usageBetween, type Usage } from '../judge/usage.js';
import type { RunVerdict } from '../judge/run.js';
import type { Sample } from '../observe/sampler.js';
import type { Component, InstanceEvent } from '../provision/deployment.js';
import type { DeploymentRecord, StepRecord } from '../record/types.js';

/** The first value to change, with what was seen. */
export interface Change {
  /** Path in the chart's values; absent when nothing measured points at one. */
  value?: string;
  /** What to do, and the evidence. */
  text: string;
}

/** Above it a limit of CPU counts as reached; the scheduler never hands out all of it. */
const CPU_REACHED = 0.9;
/** One n8n process runs JavaScript on one core; more than this is garbage collection and the like. */
const ONE_CORE = 0.9;
const SLOTS_REACHED = 0.9;

/**
 * What limits the deployment, from the first broken step, and which chart value to change first.
 * The order of the rules is the order in which a person would look: what died, what is full, what is busy.
 */
export function firstChange(deployment: DeploymentRecord, verdict: RunVerdict, samples: Sample[]): Change | undefined {
  const broken = verdict.loads.flatMap((l) => l.steps).find((s) => s.judged.verdict === 'FAIL')?.step;
  if (!broken) return undefined;
  const usage = usageBetween(samples, broken.measuredFrom, broken.measuredTo);
  const death = broken.events.find((e) => e.kind !== 'restarted');
  return (
    ownMode(deployment) ??
    (death && afterDeath(death, deployment, usage)) ??
    fullSlots(deployment, broken, samples, usage) ??
    busyCpu(deployment, usage) ?? {
      text: 'Nothing measured is at its limit: look at the latency of what the workflow calls, and at the logs beside this report.',
    }
  );
}

function ownMode(deployment: DeploymentRecord): Change | undefined {
  if (deployment.process !== 'own') return undefined;
  return {
    value: 'executions.process',
    text: 'Set executions.process to main: own forks a process for every execution.',
  };
}

function afterDeath(event: InstanceEvent, deployment: DeploymentRecord, usage: Map<string, Usage>): Change {
  const { component, instance } = event;
  const limit = deployment.instances.find((i) => i.name === instance)?.limits.memoryBytes;
  const peak = usage.get(instance)?.peakRssBytes ?? 0;
  const seen = `${instance} peaked at ${mebibytes(peak)}${limit ? ` under a limit of ${mebibytes(limit)}` : ''}`;
  if (event.reason === 'OOMKilled') {
    const raised = limit ? ` to ${Math.ceil((limit * 1.5) / 2 ** 29) / 2}Gi` : '';
    return {
      value: `${component}.resources.limits.memory`,
      text: `Raise ${component}.resources.limits.memory${raised}: the kernel killed it (OOMKilled); ${seen}.`,
    };
  }
  if (event.reason === 'V8HeapLimit') {
    return {
      value: `${component}.heap.n8n`,
      text: `Raise ${component}.heap.n8n, and ${component}.resources.limits.memory so that it fits: V8 gave up at its heap limit; ${seen}.`,
    };
  }
  if (event.kind === 'runner-died') {
    const text = `Raise ${component}.heap.runner, and ${component}.resources.limits.memory so that it fits: the task runner of ${instance} ended under load; its log beside this report says why.`;
    return { value: `${component}.heap.runner`, text };
  }
  if (event.reason === 'LivenessProbe' || event.kind === 'unready') {
    return (
      busyCpu(deployment, usage) ?? { text: `${instance} did not answer its probe in time (${event.detail}); ${seen}.` }
    );
  }
  return { text: `${instance} ended by itself (${event.detail}): its log beside this report says why; ${seen}.` };
}

function fullSlots(
  deployment: DeploymentRecord,
  step: StepRecord,
  samples: Sample[],
  usage: Map<string, Usage>,
): Change | undefined {
  const { slots } = deployment;
  if (slots === undefined) return undefined;
  if (deployment.mode === 'regular') {
    const most = Math.max(0, ...step.backlog.map((b) => b.executions));
    if (most < slots * SLOTS_REACHED) return undefined;
    return {
      value: 'executions.concurrencyLimit',
      text: `Raise executions.concurrencyLimit, or spread the work with executions.mode: queue: up to ${most} executions were under way for ${slots} slots.`,
    };
  }
  const queue = samples
    .filter((s) => s.queue && s.at >= step.measuredFrom && s.at <= step.endedAt)
    .map((s) => s.queue!);
  const waiting = Math.max(0, ...queue.map((q) => q.waiting));
  const active = Math.max(0, ...queue.map((q) => q.active));
  if (waiting === 0 || active < slots * SLOTS_REACHED) return undefined;
  const busy = ofComponent(deployment, usage, 'worker').some((u) => isBusy(deployment, u));
  const seen = `all ${slots} slots were taken and up to ${waiting} jobs waited`;
  return busy
    ? { value: 'worker.replicas', text: `Raise worker.replicas: ${seen}, and the workers' CPU was at its limit.` }
    : { value: 'worker.concurrency', text: `Raise worker.concurrency: ${seen}, while the workers had CPU to spare.` };
}

function busyCpu(deployment: DeploymentRecord, usage: Map<string, Usage>): Change | undefined {
  const busiest = [...usage.values()].filter((u) => isBusy(deployment, u)).sort((a, b) => b.meanCores - a.meanCores)[0];
  const instance = deployment.instances.find((i) => i.name === busiest?.name);
  if (!busiest || !instance) return undefined;
  const limit = instance.limits.cpuMillis;
  const seen = `${instance.name} used ${busiest.meanCores.toFixed(2)} cores${limit ? ` of ${limit / 1000}` : ''}`;
  const { component } = instance;
  if (limit !== undefined && limit < 1000) {
    return {
      value: `${component}.resources.limits.cpu`,
      text: `Raise ${component}.resources.limits.cpu to 1: ${seen}, and one n8n process can use a whole core.`,
    };
  }
  if (component === 'worker' || component === 'webhook') {
    return {
      value: `${component}.replicas`,
      text: `Raise ${component}.replicas: ${seen}, and one n8n process cannot use more than about one core.`,
    };
  }
  if (component === 'main' && deployment.mode === 'regular') {
    return {
      value: 'executions.mode',
      text: `Set executions.mode to queue and add workers: ${seen}, and one n8n process cannot use more than about one core.`,
    };
  }
  if (component === 'main')
    return { value: 'webhook.replicas', text: `Raise webhook.replicas, so that main serves no webhooks: ${seen}.` };
  return {
    value: `${component}.resources.limits.cpu`,
    text: `Raise ${component}.resources.limits.cpu, or use a database outside the cluster: ${seen}.`,
  };
}

const ofComponent = (deployment: DeploymentRecord, usage: Map<string, Usage>, component: Component) =>
  deployment.instances.filter((i) => i.component === component).flatMap((i) => usage.get(i.name) ?? []);

function isBusy(deployment: DeploymentRecord, usage: Usage): boolean {
  const limit = deployment.instances.find((i) => i.name === usage.name)?.limits.cpuMillis;
  return usage.meanCores >= (limit === undefined ? ONE_CORE : Math.min(ONE_CORE, (limit / 1000) * CPU_REACHED));
}

const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
