import type { GeneratorPlace } from '../../model/step.js';
import type { Container } from 'kubernetes-types/core/v1.js';
import { parseQuantity } from '../../chart/objects.js';
import type { ApiProxy } from './api-proxy.js';
import type { Cluster } from './cluster.js';
import type { JobObject } from './k6-job.js';

/** Interval at which k6 in the cluster is polled. */
export const POLL_MS = 1000;

/** Where k6 runs in the cluster, and what it needs. */
export interface K6Place {
  cluster: Cluster;
  api: ApiProxy;
  namespace: string;
  /** The chart's load test. */
  loadTest: JobObject;
  /** Nodes on which pods under test run, or have run. */
  nodesUnderTest(): Set<string>;
}

/** Version and cores of k6, from its container; one core if it has no CPU limit. */
export function k6Facts({ image = '', resources }: Partial<Container> = {}): { version: string; cores: number } {
  const cpu = resources?.limits?.cpu;
  return {
    version: /:v?(\d+(?:\.\d+)+[\w.-]*)(?:@|$)/.exec(image)?.[1] ?? 'unknown',
    cores: cpu === undefined ? 1 : parseQuantity(cpu),
  };
}

/** Name of the object that drives a step. */
export const stepName = (index: number): string => `k6-step-${String(index).padStart(2, '0')}`;

/** Whether k6 ran on nodes of its own. If its node is unknown, it counts as shared. */
export function placeOf(nodes: string[], underTest: ReadonlySet<string>): GeneratorPlace {
  return nodes.length > 0 && !nodes.some((node) => underTest.has(node)) ? 'own-node' : 'shared-node';
}
