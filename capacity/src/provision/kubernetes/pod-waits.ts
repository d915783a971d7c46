import type { ContainerStatus } from 'kubernetes-types/core/v1.js';
import { isReady, type EventObject, type PodObject } from './api-objects.js';

/** A container that has ended so often without becoming ready will not come up. */
const HOPELESS_RESTARTS = 3;
/** The kubelet's reasons for an image that it cannot pull; it retries at ever longer intervals. */
const NO_IMAGE = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull']);
const NO_CONFIG = 'CreateContainerConfigError';
/** Longer than new volumes and ending pods delay scheduling. */
const UNSCHEDULED_MS = 45_000;

/** Events of node autoscalers (cluster-autoscaler, Karpenter) that announce a node for a pod. */
const NODE_IS_COMING = new Set(['TriggeredScaleUp', 'Nominated']);

/** Why a pod will not come up. */
export interface Hopeless {
  pod: string;
  text: string;
  /** The cause is outside the deployment: the image or a node is missing. */
  ofEnvironment: boolean;
}

/** The state of an installation for people: `2 of 3 pods ready; n8n-tuned-main-x PodInitializing`. */
export function waitingFor(pods: PodObject[]): string {
  const wanted = pods.filter(({ status }) => status.phase !== 'Succeeded');
  const others = wanted.filter((pod) => !isReady(pod)).map((pod) => `${pod.metadata.name} ${describePodState(pod)}`);
  return [`${wanted.length - others.length} of ${wanted.length} pods ready`, ...others].join('; ');
}

/**
 * The pod that will not come up, and why; undefined while all still may.
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
  const text = `no node accepts it: ${unscheduled.message ?? unscheduled.reason}`;
  return { text, ofEnvironment: true };
}

/** Why an image or the configuration of a pod is missing; undefined if it is not. */
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

/** What a pod that is not ready waits for: Kubernetes' message or reason. */
export function describePodState(pod: PodObject): string {
  const unscheduled = unscheduledOf(pod);
  if (unscheduled) return unscheduled.message ?? 'not scheduled yet';
  const waits = containers(pod).find((s) => s.state?.waiting)?.state?.waiting;
  return waits?.message ?? waits?.reason ?? (pod.status.phase === 'Running' ? 'not ready yet' : 'being created');
}
