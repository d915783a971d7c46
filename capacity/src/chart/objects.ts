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
    /** Target of an autoscaler: a HorizontalPodAutoscaler, or KEDA's ScaledObject. */
    scaleTargetRef?: { name: string };
    minReplicas?: number;
    minReplicaCount?: number;
    maxReplicas?: number;
    maxReplicaCount?: number;
    template?: { metadata?: ObjectMeta; spec: PodSpec };
  };
}

/** Label with the component that an object of the chart belongs to. */
export const COMPONENT_LABEL = 'app.kubernetes.io/component';

/** The component of one of the chart's objects, or of its pods; undefined for other objects. */
export const componentOf = ({ metadata }: { metadata: ObjectMeta }): Component | undefined =>
  metadata.labels?.[COMPONENT_LABEL] as Component | undefined;

/** Whether an object is the Deployment of the chart's rescue. */
export const isRescue = ({ kind, metadata }: KubernetesObject): boolean =>
  kind === 'Deployment' && metadata.labels?.[COMPONENT_LABEL] === 'rescue';

/** Exponents of 2 and of 10 of the suffixes of a quantity. */
const BINARY: Record<string, number> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const DECIMAL: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const QUANTITY = /^(?<number>[0-9.]+)(?:[eE](?<exponent>[+-]?[0-9]+)|(?<suffix>[KMGTPE]i|[numkMGTPE]?))$/;

/**
 * A Kubernetes quantity (`500m`, `1.5`, `512Mi`, `2e9`) as a number in its base unit: cores or bytes. NaN if it is not a quantity.
 * Helm prints large numbers with an exponent.
 */
export function parseQuantity(text: string | number): number {
  const { number, exponent, suffix = '' } = QUANTITY.exec(String(text).trim())?.groups ?? {};
  if (suffix in BINARY) return Number(number) * 2 ** BINARY[suffix]!;
  return Number(`${number}e${exponent ?? DECIMAL[suffix]}`);
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
