import { z } from 'zod';

const amount = z.number().min(0);

export const componentSchema = z.enum(['main', 'worker', 'webhook', 'postgresql', 'redis']);
/** A part of the chart that has pods of its own. */
export type Component = z.infer<typeof componentSchema>;

/** The components that run n8n. */
export const N8N_COMPONENTS = ['main', 'worker', 'webhook'] as const satisfies Component[];
/** Whether a component, as named in a label or a record, runs n8n. */
export const runsN8n = (component: string | undefined): boolean =>
  (N8N_COMPONENTS as readonly (string | undefined)[]).includes(component);

export const limitsSchema = z.object({
  /** CPU limit in millicores. */
  cpuMillis: amount.optional(),
  /** Memory limit in bytes. */
  memoryBytes: amount.optional(),
});
export type Limits = z.infer<typeof limitsSchema>;

export const deathReasonSchema = z.enum(['OOMKilled', 'V8HeapLimit', 'LivenessProbe', 'Crash']);
/** The limit or fault that ended a process. */
export type DeathReason = z.infer<typeof deathReasonSchema>;

/** Detail of an eviction: somebody, or a controller such as an autoscaler, deleted the pod. */
export const DELETED = 'the pod was deleted';

export const eventSchema = z.object({
  /** Milliseconds since the epoch. */
  at: amount,
  instance: z.string(),
  component: componentSchema,
  kind: z.enum([
    'died',
    'restarted',
    'probe-failed',
    'unready',
    'runner-died',
    // Not the deployment's doing: an autoscaler moved, the pod or its node was taken away, the cluster did not answer.
    'scaled',
    'evicted',
    'unobserved',
  ]),
  /** Of `died`, and of `runner-died` where the runner has a container of its own. */
  reason: deathReasonSchema.optional(),
  detail: z.string(),
});
/** Something that must not happen in a step. */
export type InstanceEvent = z.infer<typeof eventSchema>;
