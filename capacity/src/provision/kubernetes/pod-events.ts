import type { Component, DeathReason, InstanceEvent } from '../../model/events.js';
import type { ContainerStateTerminated, ContainerStatus } from 'kubernetes-types/core/v1.js';
import { componentOf } from '../../chart/objects.js';
import { isReady, type EventObject, type PodObject, type WorkloadObject } from './api-objects.js';

/** Exit code of SIGABRT (128 + 6), with which V8 ends a process whose heap is full. */
const ABORTED = 134;
/** The chart's sidecar for task runners. */
const RUNNER = 'runner';

/** The state of a pod at the last look. */
interface Known {
  component: Component;
  ready: boolean;
  containers: Map<string, Counted>;
}

/** How often a container has been restarted and has ended. */
interface Counted {
  restarts: number;
  ends: number;
}

/**
 * Derives events from the pods and workloads of successive looks. The first look is the baseline.
 */
export class PodEvents {
  private pods: Map<string, Known> | undefined;
  private replicas = new Map<string, number>();
  private readonly reported = new Set<string>();

  /**
   * @param at now, in milliseconds since the epoch
   */
  observe(pods: PodObject[], workloads: WorkloadObject[], at: number): InstanceEvent[] {
    const found: InstanceEvent[] = [...this.scaled(workloads, at)];
    const before = this.pods ?? new Map(pods.map((pod) => [pod.metadata.name, knownOf(pod)]));
    this.pods = new Map();
    for (const pod of pods) {
      const { name } = pod.metadata;
      const known = before.get(name) ?? { ...knownOf(pod), ready: false };
      const taken = takenAway(pod);
      if (taken && isOverItsLimit(taken)) found.push(...this.once(`${name} taken`, eventOf(pod, 'died', taken, at)));
      else if (taken) found.push(...this.once(`${name} taken`, eventOf(pod, 'evicted', taken, at)));
      else found.push(...containerEvents(pod, known, at), ...readiness(pod, known, at));
      this.pods.set(name, knownOf(pod));
    }
    for (const [name, { component }] of before) {
      if (this.pods.has(name) || this.reported.has(`${name} taken`) || found.some((e) => e.kind === 'scaled')) continue;
      found.push({ at, instance: name, component, kind: 'evicted', detail: 'the pod was deleted' });
    }
    return found;
  }

  /** Forgets a pod that this run deletes itself, so that its end is no event. */
  forget(name: string): void {
    this.pods?.delete(name);
  }

  private *scaled(workloads: WorkloadObject[], at: number): Iterable<InstanceEvent> {
    for (const workload of workloads) {
      const { metadata, spec } = workload;
      const [now, then] = [spec.replicas ?? 1, this.replicas.get(metadata.name)];
      this.replicas.set(metadata.name, now);
      if (then === undefined || then === now) continue;
      const component = componentOf(workload)!;
      yield { at, instance: metadata.name, component, kind: 'scaled', detail: `from ${then} to ${now} replicas` };
    }
  }

  private once(key: string, event: InstanceEvent): InstanceEvent[] {
    if (this.reported.has(key)) return [];
    this.reported.add(key);
    return [event];
  }
}

/** Statuses of the containers that run as long as the pod; Kubernetes lists sidecars among the init containers. */
function statuses({ spec, status }: PodObject): ContainerStatus[] {
  const sidecars = new Set(spec.initContainers?.filter((c) => c.restartPolicy === 'Always').map((c) => c.name));
  const ofSidecars = status.initContainerStatuses?.filter((s) => sidecars.has(s.name)) ?? [];
  return [...(status.containerStatuses ?? []), ...ofSidecars];
}

const eventOf = (pod: PodObject, kind: InstanceEvent['kind'], detail: string, at: number): InstanceEvent => ({
  at,
  instance: pod.metadata.name,
  component: componentOf(pod)!,
  kind,
  detail,
});

const knownOf = (pod: PodObject): Known => ({
  component: componentOf(pod)!,
  ready: isReady(pod),
  containers: new Map(statuses(pod).map((s) => [s.name, counted(s)])),
});

function counted({ restartCount, state, lastState }: ContainerStatus): Counted {
  const isDown =
    state?.terminated !== undefined || (state?.waiting !== undefined && lastState?.terminated !== undefined);
  return { restarts: restartCount, ends: restartCount + (isDown ? 1 : 0) };
}

/** Why the cluster removed a pod, or that its node does not answer; undefined otherwise. */
function takenAway({ metadata, spec, status }: PodObject): string | undefined {
  const condition = (type: string) => status.conditions?.find((c) => c.type === type);
  const disruption = condition('DisruptionTarget');
  if (disruption?.status === 'True') return disruption.message || (disruption.reason ?? 'disrupted');
  if (status.phase === 'Failed' && status.reason) return status.message || status.reason;
  // Set by the node controller; the kubelet uses other reasons.
  if (condition('Ready')?.reason === 'NodeNotReady') return `its node ${spec.nodeName ?? ''} does not answer`;
  return metadata.deletionTimestamp ? 'the pod was deleted' : undefined;
}

/** The kubelet also evicts a pod that writes more than its own limit of ephemeral storage: that is the deployment's doing. */
const isOverItsLimit = (message: string): boolean => /exceed(s|ed) .*limit/i.test(message);

/** A death when the container has ended, a restart when the next one runs. */
function* containerEvents(pod: PodObject, known: Known, at: number): Iterable<InstanceEvent> {
  for (const status of statuses(pod)) {
    const now = counted(status);
    const before = known.containers.get(status.name) ?? now;
    const terminated = status.state?.terminated ?? status.lastState?.terminated;
    if (now.ends > before.ends) {
      const kind = status.name === RUNNER ? 'runner-died' : 'died';
      yield { ...eventOf(pod, kind, deathDetail(status, terminated), at), reason: reasonOf(terminated) };
    }
    if (now.restarts > before.restarts)
      yield eventOf(pod, 'restarted', `container ${status.name}, restart ${now.restarts}`, at);
  }
}

/** A pod that is no longer ready although its containers run. */
function* readiness(pod: PodObject, known: Known, at: number): Iterable<InstanceEvent> {
  const isWhole = statuses(pod).every(
    (s) => s.state?.running && s.restartCount === (known.containers.get(s.name)?.restarts ?? s.restartCount),
  );
  if (known.ready && !isReady(pod) && isWhole) yield eventOf(pod, 'unready', 'its readiness probe failed', at);
}

/** The limit or fault that ended a container, by its exit code and reason. */
function reasonOf(terminated: ContainerStateTerminated | undefined): DeathReason {
  if (terminated?.reason === 'OOMKilled') return 'OOMKilled';
  return terminated?.exitCode === ABORTED ? 'V8HeapLimit' : 'Crash';
}

/** The death with the reason `LivenessProbe` if the kubelet's events say that a failed probe caused it. */
export function withProbe(death: InstanceEvent, events: EventObject[]): InstanceEvent {
  const killing = events.find(
    (e) =>
      e.involvedObject?.name === death.instance &&
      e.reason === 'Killing' &&
      /failed (liveness|startup) probe/i.test(e.message ?? ''),
  );
  return killing ? { ...death, reason: 'LivenessProbe', detail: killing.message! } : death;
}

function deathDetail({ name }: ContainerStatus, terminated: ContainerStateTerminated | undefined): string {
  if (!terminated) return `container ${name}`;
  const { exitCode, signal, message } = terminated;
  const how = signal ? `signal ${signal}` : `exit code ${exitCode}`;
  return `container ${name}, ${how}${message ? `: ${message.trim().split('\n').at(-1)}` : ''}`;
}
