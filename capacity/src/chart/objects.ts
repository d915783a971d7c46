import type { PodSpec } from 'kubernetes-types/core/v1.js';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';
import { UsageError } from '../core/errors.js';
import type { Component } from '../model/events.js';

/** A rendered object, with the fields that are read of a workload, a ConfigMap, a Secret or an autoscaler. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta & { name: string };
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
    template?: { metadata?: ObjectMeta; spec: PodSpec };
  };
}

/** Label by which an object of the chart says which component it belongs to. */
export const COMPONENT_LABEL = 'app.kubernetes.io/component';

/** The component of one of the chart's objects, or of its pods; undefined for others. */
export const componentOf = ({ metadata }: { metadata: ObjectMeta }): Component | undefined =>
  metadata.labels?.[COMPONENT_LABEL] as Component | undefined;

/** Whether an object is the Deployment of the chart's rescue. */
export const isRescue = ({ kind, metadata }: KubernetesObject): boolean =>
  kind === 'Deployment' && metadata.labels?.[COMPONENT_LABEL] === 'rescue';

const BINARY = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 } as const;
const DECIMAL = { m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12 } as const;
const UNITS: Record<string, number> = { ...BINARY, ...DECIMAL };

/** A Kubernetes quantity (`500m`, `1.5`, `512Mi`) as a number in its base unit: cores or bytes. NaN if it is not a quantity. */
export function quantity(text: string | number): number {
  const match = /^([0-9.]+)(Ki|Mi|Gi|Ti|m|k|M|G|T)?$/.exec(String(text).trim());
  return match ? Number(match[1]) * (match[2] ? UNITS[match[2]]! : 1) : Number.NaN;
}

/**
 * The n8n version that the render runs: a label of main's Deployment.
 * @throws UsageError when the label is missing
 */
export function n8nVersion(objects: KubernetesObject[]): string {
  const main = objects.find((o) => componentOf(o) === 'main' && o.kind === 'Deployment');
  const version = main?.metadata.labels?.['app.kubernetes.io/version'];
  if (!version)
    throw new UsageError('the chart renders no Deployment of main with the label app.kubernetes.io/version.');
  return version;
}
