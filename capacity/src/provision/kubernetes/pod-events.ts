import { DELETED, type Component, type DeathReason, type InstanceEvent } from '../../model/events.js';
import type { ContainerStateTerminated, ContainerStatus } from 'kubernetes-types/core/v1.js';
import { componentOf } from '../../chart/objects.js';
import { isReady, type EventObject, type PodObject, type WorkloadObject } from './api-objects.js';

/** Exit code of SIGABRT (128 + 6), with which V8 ends a process whose heap is full. */
const ABORTED = 134;
/** The chart's sidecar for task runners. */
const RUNNER = 'runner';

/** The state of a pod at the last look. */
interface Known {
  name: string;
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
  /** Ids of pods of which it was told that they are taken away. */
  private readonly taken = new Set<string>();
  /** Names of pods that this run deletes. */
  private readonly own = new Set<string>();

  /**
   * @param at now, in milliseconds since the epoch
   */
  observe(pods: PodObject[], workloads: WorkloadObject[], at: number): InstanceEvent[] {
    const found: InstanceEvent[] = [...this.scaled(workloads, at)];
    const before = this.pods ?? new Map(pods.map((pod) => [idOf(pod), knownOf(pod)]));
    this.pods = new Map();
    for (const pod of pods) {
      const id = idOf(pod);
      const known = before.get(id) ?? { ...knownOf(pod), ready: false };
      this.pods.set(id, knownOf(pod));
      if (this.own.has(pod.metadata.name) && pod.metadata.deletionTimestamp) this.taken.add(id);
      const taken = takenAway(pod);
      if (!taken) {
        this.taken.delete(id);
        found.push(...containerEvents(pod, known, at), ...readiness(pod, known, at));
      } else if (!this.taken.has(id)) {
        this.taken.add(id);
        found.push(eventOf(pod, isOverItsLimit(taken) ? 'died' : 'evicted', taken, at));
      }
    }
    for (const [id, { name, component }] of before) {
      const isExpected = this.taken.has(id) || this.own.has(name) || found.some((e) => e.kind === 'scaled');
      if (this.pods.has(id)) continue;
      if (!isExpected) found.push({ at, instance: name, component, kind: 'evicted', detail: DELETED });
      this.own.delete(name);
    }
    return found;
  }

  /** Pods that this run deletes itself: their end is no event. */
  forget(names: string[]): void {
    for (const name of names) this.own.add(name);
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

/** A pod of a StatefulSet that is replaced keeps its name. */
const idOf = ({ metadata: { uid, name } }: PodObject): string => uid ?? name;

const knownOf = (pod: PodObject): Known => ({
  name: pod.metadata.name,
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
  return metadata.deletionTimestamp ? DELETED : undefined;
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
      yield { ...eventOf(pod, kind, deathDetail(status, terminated), at), reason: readDeathReason(terminated) };
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
function readDeathReason(terminated: ContainerStateTerminated | undefined): DeathReason {
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
