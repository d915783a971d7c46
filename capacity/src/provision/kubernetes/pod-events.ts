import type { Component, DeathReason, InstanceEvent } from '../../model/events.js';
import type { ContainerStateTerminated, ContainerStatus } from 'kubernetes-types/core/v1.js';
import { componentOf } from '../../chart/objects.js';
import { isReady, type EventObject, type PodObject, type WorkloadObject } from './api-objects.js';

/** SIGABRT, by which V8 ends a process whose heap is full: 128 + 6. */
const ABORTED = 134;
/** The chart's container of task runners beside n8n. */
const RUNNER = 'runner';

/** What is remembered of a pod from one look to the next. */
interface Known {
  component: Component;
  ready: boolean;
  containers: Map<string, Counted>;
}

/** How often a container has been started again, and has ended. */
interface Counted {
  restarts: number;
  ends: number;
}

/**
 * Turns what Kubernetes says of pods and workloads, look by look, into events. The first look is what there was before.
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
      if (taken) found.push(...this.once(`${name} taken`, eventOf(pod, 'evicted', taken, at)));
      else found.push(...containerEvents(pod, known, at), ...readiness(pod, known, at));
      this.pods.set(name, knownOf(pod));
    }
    for (const [name, { component }] of before) {
      if (this.pods.has(name) || this.reported.has(`${name} taken`) || found.some((e) => e.kind === 'scaled')) continue;
      found.push({ at, instance: name, component, kind: 'evicted', detail: 'the pod was deleted' });
    }
    return found;
  }

  /** Forgets pods that this run itself deletes, so that it is no event. */
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

/** Of the containers that run as long as the pod: sidecars proper are among the init containers. */
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

/** Why the cluster has taken a pod away, or its node does not answer; undefined while neither is so. */
function takenAway({ metadata, spec, status }: PodObject): string | undefined {
  const condition = (type: string) => status.conditions?.find((c) => c.type === type);
  const disruption = condition('DisruptionTarget');
  if (disruption?.status === 'True') return disruption.message || (disruption.reason ?? 'disrupted');
  if (status.phase === 'Failed' && status.reason) return status.message || status.reason;
  // The node's own controller says so; the kubelet has other reasons.
  if (condition('Ready')?.reason === 'NodeNotReady') return `its node ${spec.nodeName ?? ''} does not answer`;
  return metadata.deletionTimestamp ? 'the pod was deleted' : undefined;
}

/** A death as soon as it is seen, a restart when the next container runs. */
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

/** A pod that is taken out of service though its containers live. */
function* readiness(pod: PodObject, known: Known, at: number): Iterable<InstanceEvent> {
  const isWhole = statuses(pod).every(
    (s) => s.state?.running && s.restartCount === (known.containers.get(s.name)?.restarts ?? s.restartCount),
  );
  if (known.ready && !isReady(pod) && isWhole) yield eventOf(pod, 'unready', 'its readiness probe failed', at);
}

/** Which limit or fault ended a container, as far as how it ended says. */
function reasonOf(terminated: ContainerStateTerminated | undefined): DeathReason {
  if (terminated?.reason === 'OOMKilled') return 'OOMKilled';
  return terminated?.exitCode === ABORTED ? 'V8HeapLimit' : 'Crash';
}

/** A death with its reason corrected where the kubelet says that a failed probe made it end the container. */
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
