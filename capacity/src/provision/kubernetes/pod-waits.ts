import type { ContainerStatus } from 'kubernetes-types/core/v1.js';
import { isReady, type EventObject, type PodObject } from './api-objects.js';

/** A container that has ended so often before it was ever ready does not come up. */
const HOPELESS_RESTARTS = 3;
/** What the kubelet says of an image that it cannot get; it goes on trying, at ever longer intervals. */
const NO_IMAGE = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull']);
const NO_CONFIG = 'CreateContainerConfigError';
/** Volumes are made and pods of before are gone within it; after it the scheduler has no place. */
const UNSCHEDULED_MS = 45_000;

/** Events by which autoscalers of nodes say that a node for a pod is coming: the Kubernetes project's, and Karpenter's. */
const NODE_IS_COMING = new Set(['TriggeredScaleUp', 'Nominated']);

/** Why a pod will not come up. */
export interface Hopeless {
  pod: string;
  text: string;
  /** It is not the deployment's doing: there is no image, or no node for it. */
  ofEnvironment: boolean;
}

/** `2 of 3 pods ready; n8n-tuned-main-x PodInitializing`. */
export function waitingFor(pods: PodObject[]): string {
  const wanted = pods.filter(({ status }) => status.phase !== 'Succeeded');
  const others = wanted.filter((pod) => !isReady(pod)).map((pod) => `${pod.metadata.name} ${stateOf(pod)}`);
  return [`${wanted.length - others.length} of ${wanted.length} pods ready`, ...others].join('; ');
}

/**
 * The pod that will not come up, and why; undefined while all may.
 * @param now milliseconds since the epoch
 */
export function hopelessness(pods: PodObject[], events: EventObject[], now: number): Hopeless | undefined {
  for (const pod of pods) {
    const why = withoutPlace(pod, events, now) ?? withoutImage(pod) ?? endsAgain(pod);
    if (why) return { pod: pod.metadata.name, ...why };
  }
  return undefined;
}

type Why = Omit<Hopeless, 'pod'>;

function withoutPlace(pod: PodObject, events: EventObject[], now: number): Why | undefined {
  const unscheduled = unscheduledOf(pod);
  if (unscheduled?.reason !== 'Unschedulable') return undefined;
  const since = Date.parse(unscheduled.lastTransitionTime ?? '');
  const ofPod = events.filter((e) => e.involvedObject?.name === pod.metadata.name);
  if (!(now - since > UNSCHEDULED_MS) || ofPod.some((e) => NODE_IS_COMING.has(e.reason ?? ''))) return undefined;
  const text = `no node takes it: ${unscheduled.message ?? unscheduled.reason}`;
  return { text, ofEnvironment: true };
}

/** Why an image of a pod cannot be had; undefined while it may. */
export function withoutImage(pod: PodObject): Why | undefined {
  for (const { name, state } of containers(pod)) {
    const { reason = '', message } = state?.waiting ?? {};
    if (NO_IMAGE.has(reason) || reason === NO_CONFIG)
      return { text: `${reason}: ${message ?? name}`, ofEnvironment: reason !== NO_CONFIG };
  }
  return undefined;
}

function endsAgain(pod: PodObject): Why | undefined {
  if (isReady(pod)) return undefined;
  for (const { name, restartCount, lastState } of containers(pod)) {
    const last = lastState?.terminated;
    if (restartCount < HOPELESS_RESTARTS || !last) continue;
    const how = `${last.reason ?? 'ended'}, exit code ${last.exitCode}`;
    return { text: `container ${name} has ended ${restartCount} times (${how})`, ofEnvironment: false };
  }
  return undefined;
}

const containers = ({ status }: PodObject): ContainerStatus[] => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
];

const unscheduledOf = ({ status }: PodObject) =>
  status.conditions?.find((c) => c.type === 'PodScheduled' && c.status !== 'True');

/** What a pod that is not ready waits for, in a word or in the scheduler's own. */
export function stateOf(pod: PodObject): string {
  const unscheduled = unscheduledOf(pod);
  if (unscheduled) return unscheduled.message ?? 'not scheduled yet';
  const waits = containers(pod).find((s) => s.state?.waiting)?.state?.waiting;
  return waits?.message ?? waits?.reason ?? (pod.status.phase === 'Running' ? 'not ready yet' : 'being made');
}
