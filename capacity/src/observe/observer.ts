import type { Component, InstanceEvent } from '../model/deployment.js';
import type { N8nMetrics } from './metrics.js';
import type { TreeUsage } from './proc.js';

/** What one look at an instance has shown. */
export interface InstanceLook {
  name: string;
  /** Undefined when it could not be read or nothing of the instance runs. */
  usage?: TreeUsage;
  /** n8n's own metrics; undefined when it has none or did not answer in time. */
  metrics?: N8nMetrics;
  /** Which process of the instance answered: counters of another one begin at 0 again. */
  incarnation: string;
  /** It has not been ready yet, so that it cannot have done anything. */
  starting?: boolean;
}

/** How many pods of a component there should be, and how many take requests. */
export interface Replicas {
  component: Component;
  wanted: number;
  ready: number;
}

/** What one look at a deployment has shown. */
export interface Look {
  /** In the order of the deployment's instances; what cannot be read is left out of it. */
  instances: InstanceLook[];
  events: InstanceEvent[];
  /** Where their number can change. */
  replicas?: Replicas[];
}

/** Looks at all instances of a deployment, wherever they run. */
export interface Observer {
  look(timeoutMs: number): Promise<Look>;
}
