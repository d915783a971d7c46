/** The fields of live Kubernetes objects that are read here. */
export interface PodObject {
  metadata: ObjectMeta;
  spec: {
    nodeName?: string;
    containers: { name: string }[];
    initContainers?: { name: string; restartPolicy?: string }[];
  };
  status: PodStatus;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
}

export interface PodStatus {
  phase?: string;
  /** Of the pod: `Evicted`, `NodeShutdown` and the like. */
  reason?: string;
  message?: string;
  podIP?: string;
  conditions?: { type: string; status: string; reason?: string; message?: string; lastTransitionTime?: string }[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
}

export interface ContainerStatus {
  name: string;
  containerID?: string;
  ready?: boolean;
  restartCount: number;
  state?: ContainerState;
  lastState?: ContainerState;
}

export interface ContainerState {
  running?: { startedAt?: string };
  waiting?: { reason?: string; message?: string };
  terminated?: Terminated;
}

export interface Terminated {
  exitCode: number;
  signal?: number;
  reason?: string;
  message?: string;
  containerID?: string;
  finishedAt?: string;
}

/** A Deployment or a StatefulSet. */
export interface WorkloadObject {
  metadata: ObjectMeta & { generation?: number };
  spec: { replicas?: number };
  status: { observedGeneration?: number; updatedReplicas?: number; readyReplicas?: number };
}

export interface NodeObject {
  spec: { unschedulable?: boolean };
  status: { allocatable: { cpu: string; memory: string }; conditions: { type: string; status: string }[] };
}

export interface EventObject {
  reason?: string;
  message?: string;
  involvedObject?: { name?: string };
}

export interface List<T> {
  items: T[];
}

/** Whether a pod takes requests. */
export const isReady = ({ metadata, status }: PodObject): boolean =>
  !metadata.deletionTimestamp && (status.conditions ?? []).some((c) => c.type === 'Ready' && c.status === 'True');

/** Labels by which a pod of the chart says which component it is. */
export const COMPONENT_LABEL = 'app.kubernetes.io/component';
export const INSTANCE_LABEL = 'app.kubernetes.io/instance';
