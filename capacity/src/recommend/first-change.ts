import type { LimitCandidate } from '../judge/bottleneck/limit.js';
import type { DeploymentRecord } from '../model/run.js';
import type { Sample } from '../model/sample.js';
import type { LoadVerdict, RunVerdict } from '../model/verdict.js';
import { findLoadBottleneck } from '../judge/knee.js';
import { inVariables, type Change } from './variables.js';

/**
 * The chart value to change first for a run to hold more: of the load that failed, else of the first that was driven until it
 * broke, whatever its verdict. Undefined if no step broke.
 */
export function firstChange(
  deployment: DeploymentRecord,
  { loads }: RunVerdict,
  samples: Sample[],
): Change | undefined {
  const inOrder = [...loads.filter((l) => l.verdict === 'FAIL'), ...loads.filter((l) => l.verdict !== 'FAIL')];
  for (const load of inOrder) {
    const change = firstChangeFor(deployment, load, samples);
    if (change) return change;
  }
  return undefined;
}

/** The chart value to change first for one load to hold more, from what limits it at the lowest rate that it did not sustain. */
export function firstChangeFor(deployment: DeploymentRecord, load: LoadVerdict, samples: Sample[]): Change | undefined {
  const found = findLoadBottleneck(deployment, load, samples);
  if (!found) return undefined;
  const [first] = found.candidates;
  const change =
    ownMode(deployment) ?? (first?.reached ? against(first, found.candidates, deployment) : nothingReached(deployment));
  return deployment.adopted ? inVariables(change) : change;
}

function ownMode(deployment: DeploymentRecord): Change | undefined {
  if (deployment.process !== 'own') return undefined;
  return {
    value: 'executions.process',
    action: 'Set executions.process to main',
    why: 'own mode forks a process for every execution',
  };
}

const nothingReached = ({ database }: DeploymentRecord): Change => ({
  action: `Check the latency of the services that the workflow calls${database === 'sqlite' ? ', the disk (SQLite writes one transaction at a time; try database.type=postgresql)' : ''}, and the logs next to this report`,
});

function against(candidate: LimitCandidate, all: LimitCandidate[], deployment: DeploymentRecord): Change {
  const { component, evidence } = candidate;
  switch (candidate.limit) {
    case 'memory': {
      const value = `${component}.resources.limits.memory`;
      const action = `Raise ${value}${raisedMemory(candidate, deployment)}${orFewerRequests(candidate, deployment)}`;
      return { value, action, evidence };
    }
    case 'heap':
      return {
        value: `${component}.heap.n8n`,
        action: `Raise ${component}.heap.n8n, and ${component}.resources.limits.memory to fit it`,
        evidence,
      };
    case 'task-runner':
      return {
        value: `${component}.heap.runner`,
        action: `Raise ${component}.heap.runner, and ${component}.resources.limits.memory to fit it${orBound(deployment)}`,
        evidence,
        why: 'its log next to this report says what it did',
      };
    case 'probe': {
      const busy = all.find((c) => c.reached && !c.event && CPU_LIMITS.has(c.limit));
      return busy ? against(busy, all, deployment) : { action: 'Read the log next to this report', evidence };
    }
    case 'crash':
      return { action: 'Read the log next to this report', evidence };
    case 'generator':
      return { action: 'Give the load generator its own cores', evidence };
    case 'slots':
      return moreSlots(deployment, evidence);
    case 'requests':
      return moreRequests(candidate, deployment);
    case 'database':
      return component === undefined
        ? { action: 'Check what PostgreSQL waits for', evidence }
        : moreCpu(candidate, 'or use a database outside the cluster');
    case 'database-connections':
      return {
        value: 'database.poolSize',
        action: 'Raise database.poolSize, and postgresql.maxConnections if the chart asks for it',
        evidence,
      };
    case 'redis':
      return moreCpu(candidate, 'or use a Redis outside the cluster');
    case 'machine-cpu':
      if (candidate.disturbed) return { action: 'Stop the other processes of this machine and run again', evidence };
      return {
        action: 'Run it on a machine with more cores, or on a cluster with --provisioner kubernetes',
        evidence,
        why: 'no value of the chart adds cores',
      };
    case 'thread':
      return component === 'redis'
        ? { action: 'Use a faster Redis outside the cluster', evidence, why: 'Redis runs its commands on one thread' }
        : moreProcesses(candidate, deployment, ONE_CORE);
    case 'event-loop':
      return moreProcesses(candidate, deployment, 'nothing else is answered meanwhile');
    default:
      return lessBusy(candidate, all, deployment);
  }
}

const ONE_CORE = 'one n8n process runs its JavaScript on one core';

const CPU_LIMITS = new Set<LimitCandidate['limit']>([
  'main-cpu',
  'worker-cpu',
  'webhook-cpu',
  'thread',
  'machine-cpu',
  'database',
  'redis',
]);

/** In regular mode without a concurrency limit, a burst is executed all at once. */
const orBound = ({ mode, slots }: DeploymentRecord): string =>
  mode === 'regular' && slots === undefined
    ? ', or set executions.concurrencyLimit, so that further executions wait'
    : '';

/** What is under way holds memory where requests are taken: in main of regular mode, and in webhook processors. */
const orFewerRequests = ({ component }: LimitCandidate, { mode }: DeploymentRecord): string =>
  component === 'webhook' || (component === 'main' && mode === 'regular')
    ? ', or set overload.requestMegabytes to what a request takes, so that fewer are under way (one of version 1 of the Webhook node takes more than one of version 2)'
    : '';

/** 1.5 times the limit, rounded up to 0.5 GiB. */
function raisedMemory({ instance }: LimitCandidate, deployment: DeploymentRecord): string {
  const bytes = deployment.instances.find((i) => i.name === instance)?.limits.memoryBytes;
  return bytes ? ` to ${Math.ceil((bytes * 1.5) / 2 ** 29) / 2}Gi` : '';
}

/** Slots limit only workers that have CPU to spare; busy workers are ranked before their slots. */
const moreSlots = ({ mode }: DeploymentRecord, evidence: string): Change =>
  mode === 'queue'
    ? {
        value: 'worker.concurrency',
        action: 'Raise worker.concurrency',
        evidence,
        why: 'the workers had CPU to spare',
      }
    : {
        value: 'executions.concurrencyLimit',
        action: 'Raise executions.concurrencyLimit, or spread the work with executions.mode: queue',
        evidence,
      };

/** In queue mode the chart computes the limit of requests from the slots of the workers, otherwise from memory. */
function moreRequests({ component, evidence }: LimitCandidate, { mode }: DeploymentRecord): Change {
  const measured = { evidence, why: 'CPU and memory were free' };
  return mode === 'queue'
    ? {
        value: 'worker.concurrency',
        action: 'Raise worker.concurrency, from which overload.maxRequests is computed unless your values set it',
        ...measured,
      }
    : {
        value: 'overload.maxRequests',
        action: `Raise ${component}.resources.limits.memory, from which overload.maxRequests is computed, or set overload.requestMegabytes to what a request takes`,
        ...measured,
      };
}

const moreCpu = ({ component, evidence }: LimitCandidate, otherwise: string): Change => ({
  value: `${component}.resources.limits.cpu`,
  action: `Raise ${component}.resources.limits.cpu, ${otherwise}`,
  evidence,
});

/** First give one n8n process a whole core, then add another process; a process whose thread is idle uses more than one core. */
function lessBusy(candidate: LimitCandidate, all: LimitCandidate[], deployment: DeploymentRecord): Change {
  const { evidence } = candidate;
  const limit = deployment.instances.find((i) => i.name === candidate.instance)?.limits.cpuMillis;
  const value = `${candidate.component}.resources.limits.cpu`;
  if (limit !== undefined && limit < 1000)
    return { value, action: `Raise ${value} to 1`, evidence, why: 'one n8n process can use a whole core' };
  const thread = all.find((c) => c.limit === 'thread' && c.instance === candidate.instance);
  if (limit !== undefined && thread && !thread.reached)
    return { value, action: `Raise ${value}`, evidence, why: thread.evidence };
  return moreProcesses(candidate, deployment, ONE_CORE);
}

function moreProcesses({ component, evidence }: LimitCandidate, deployment: DeploymentRecord, why: string): Change {
  if (component === 'main' && deployment.mode === 'regular')
    return { value: 'executions.mode', action: 'Set executions.mode to queue and add workers', evidence, why };
  if (component === 'main')
    return {
      value: 'webhook.replicas',
      action: 'Raise webhook.replicas, so that main does not serve webhooks',
      evidence,
    };
  const value = `${component}.replicas`;
  return { value, action: `Raise ${value}`, evidence, why };
}
