import { toMebibytes } from '../../core/formats.js';
import type { InstanceEvent } from '../../model/events.js';
import type { DeploymentRecord } from '../../model/run.js';
import type { Sample } from '../../model/sample.js';
import type { StepRecord } from '../../model/step.js';
import { isDisturbance } from '../events.js';
import { usageBetween, type Usage } from '../../observe/usage.js';
import type { Limit, LimitCandidate } from './limit.js';

/** A death is explained by the usage of the last 30 s before it. */
const BEFORE_DEATH_MS = 30_000;

/** The limits that ended processes in a step or took them out of service. */
export const deathCandidates = (deployment: DeploymentRecord, step: StepRecord, samples: Sample[]): LimitCandidate[] =>
  step.events
    .filter((event) => event.kind !== 'restarted' && !isDisturbance(event))
    .map((event) => deathCandidate(event, deployment, lastUsage(event, step, samples)));

/** Usage up to the death; a death in the warm-up comes before the measured part. */
const lastUsage = ({ instance, at }: InstanceEvent, step: StepRecord, samples: Sample[]): Usage | undefined =>
  usageBetween(samples, Math.min(step.measuredFrom, at - BEFORE_DEATH_MS), step.measuredTo).get(instance);

function deathCandidate(event: InstanceEvent, deployment: DeploymentRecord, usage: Usage | undefined): LimitCandidate {
  const { instance, component } = event;
  const { limits, heapMiB } = deployment.instances.find((i) => i.name === instance) ?? { limits: {} };
  const under = limits.memoryBytes ? ` under a limit of ${toMebibytes(limits.memoryBytes)} MiB` : '';
  const peak = usage ? `; ${instance} peaked at ${toMebibytes(usage.peakRssBytes)} MiB${under}` : '';
  const ended = (limit: Limit, evidence: string): LimitCandidate => ({
    limit,
    instance,
    component,
    evidence,
    share: 1,
    reached: true,
    event,
  });
  if (event.reason === 'OOMKilled') return ended('memory', `the kernel killed ${instance} (OOMKilled)${peak}`);
  if (event.reason === 'V8HeapLimit') {
    const heap = heapMiB ? ` of ${heapMiB} MiB` : '';
    return ended('heap', `${instance} ran out of heap at V8's limit${heap}${peak}`);
  }
  if (event.kind === 'runner-died') return ended('task-runner', `the task runner of ${instance} died under load`);
  if (event.reason === 'LivenessProbe' || event.kind === 'unready' || event.kind === 'probe-failed') {
    return ended('probe', `${instance} did not answer its probe in time (${event.detail})${peak}`);
  }
  return ended('crash', `${instance} crashed (${event.detail})${peak}`);
}
