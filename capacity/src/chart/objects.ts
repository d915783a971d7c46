import { UsageError } from '../core/errors.js';

/** The fields of rendered objects that are read; the process provisioner lets everything else pass or refuses it by name. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec?: {
    replicas?: number;
    /** Of an autoscaler: a HorizontalPodAutoscaler, or KEDA's ScaledObject. */
    scaleTargetRef?: { name: string };
    minReplicas?: number;
    minReplicaCount?: number;
    maxReplicas?: number;
    maxReplicaCount?: number;
    selector?: Record<string, unknown>;
    ports?: ServicePort[];
    template?: { metadata?: { labels?: Record<string, string> }; spec: PodSpec };
  };
}

export interface ServicePort {
  name?: string;
  port: number;
  targetPort?: number | string;
}

export interface PodSpec {
  initContainers?: ContainerSpec[];
  containers: ContainerSpec[];
  terminationGracePeriodSeconds?: number;
  volumes?: Volume[];
  affinity?: object;
}

export interface Volume {
  name: string;
  configMap?: { name: string };
  emptyDir?: object;
}

export interface ContainerSpec {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: EnvVar[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string }; prefix?: string }[];
  ports?: { name?: string; containerPort: number }[];
  resources?: { limits?: Record<string, string | number>; requests?: Record<string, string | number> };
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: Lifecycle;
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  /** `Always` of an init container: a sidecar, which runs as long as the pod. */
  restartPolicy?: string;
}

export interface Lifecycle {
  preStop?: { exec?: { command: string[] } };
  postStart?: unknown;
}

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    secretKeyRef?: { name: string; key: string; optional?: boolean };
    configMapKeyRef?: { name: string; key: string; optional?: boolean };
    fieldRef?: { fieldPath: string };
  };
}

export interface Probe {
  httpGet?: { path?: string; port: number | string };
  tcpSocket?: { port: number | string };
  exec?: { command: string[] };
  periodSeconds?: number;
  timeoutSeconds?: number;
  failureThreshold?: number;
}

const BINARY = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 } as const;
const DECIMAL = { m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12 } as const;
const UNITS: Record<string, number> = { ...BINARY, ...DECIMAL };

/** A Kubernetes quantity (`500m`, `1.5`, `512Mi`) as a number in its base unit: cores or bytes. NaN when it is none. */
export function quantity(text: string | number): number {
  const match = /^([0-9.]+)(Ki|Mi|Gi|Ti|m|k|M|G|T)?$/.exec(String(text).trim());
  return match ? Number(match[1]) * (match[2] ? UNITS[match[2]]! : 1) : Number.NaN;
}

/** The n8n version that the render runs: the chart puts it into a label of main. Throws UsageError when it is not there. */
export function n8nVersion(objects: KubernetesObject[]): string {
  const main = objects.find(
    (o) => o.metadata.labels?.['app.kubernetes.io/component'] === 'main' && o.kind === 'Deployment',
  );
  const version = main?.metadata.labels?.['app.kubernetes.io/version'];
  if (!version) throw new UsageError('the chart renders no Deployment of main with its version.');
  return version;
}
