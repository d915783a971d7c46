import { componentSchema, deathReasonSchema, eventSchema } from 'n8n-capacity';
import { z } from 'zod';

const amount = z.number().min(0);

const machineSchema = z.object({
  cpus: amount,
  memoryBytes: amount,
  kernel: z.string(),
  processor: z.string(),
  /** The cores of k6 and those of all other processes. */
  sharing: z.string(),
});
/** The machine on which a cell was measured. */
export type Machine = z.infer<typeof machineSchema>;

const loadSchema = z.object({
  answered: amount,
  failed: amount,
  /** Failed requests by kind. */
  failures: z.record(z.string(), amount),
  /** Iterations that k6 could not start in time. */
  dropped: amount,
  /** Percentiles of the overhead (latency above the service time), in seconds; null without an answer. */
  latency: z.object({ p50: amount, p95: amount, p99: amount, max: amount }).nullable(),
  /** Number of clients in the closed model; undefined in the open model. */
  clients: amount.optional(),
  /** Asked arrival rate, per second; undefined in the closed model. */
  asked: amount.optional(),
  seconds: amount,
  /** Executions, warm-up included; null if they could not be counted. `sent` is undefined in records before 0.2. */
  executions: z
    .object({ sent: amount.optional(), accepted: amount, completed: amount, failed: amount, drainSeconds: amount })
    .nullable(),
  /** Service time of an answer in seconds; the latencies are above it. */
  serviceSeconds: amount,
  /** CPU share of k6, of the cores that it may use; null if it could not be read. */
  k6CpuShare: amount.nullable(),
  /** Requests per second that k6 reaches against a server that answers immediately; undefined if not measured. */
  k6Limit: amount.optional(),
  /** The problem with k6 that makes the figures INCONCLUSIVE. */
  problem: z.string().optional(),
});
/** The measured part of a cell's last step. */
export type LoadFigures = z.infer<typeof loadSchema>;

const overloadSchema = z.object({
  /** Capacity: requests per second of a closed loop, the mean of before and after the overload. */
  capacity: amount,
  /** Arrivals per second during the overload. */
  rate: amount,
  /** Length of the overload. */
  seconds: amount,
  answered: amount,
  /** Correct answers received during the overload, even to earlier requests; undefined in older records. */
  served: amount.optional(),
  /** Requests answered with 503 and Retry-After. */
  refused: amount,
  /** Median time until a refusal, in seconds. */
  refusedP50: amount.optional(),
  /** Requests that failed in another way, or were not sent. */
  failed: amount,
  /** Successful executions per second; undefined if they could not be counted. */
  completed: amount.optional(),
  /** Percentiles of the overhead during the overload, in seconds; undefined in records before 0.2. */
  p50: amount.optional(),
  p95: amount.optional(),
  /** Seconds at the lower rate afterwards until all was normal again; undefined if it did not return to normal. */
  backSeconds: amount.optional(),
  /** The reason why the overload is INCONCLUSIVE; undefined if it is not. */
  unclear: z.string().optional(),
});

const cellEventSchema = z.object({
  /** Seconds since the cell's first sample. */
  at: amount,
  instance: z.string(),
  kind: z.enum(eventSchema.shape.kind.options),
  reason: z.enum(deathReasonSchema.options).optional(),
});
export type CellEvent = z.infer<typeof cellEventSchema>;

const processSchema = z.object({
  pid: amount,
  /** Role: main, worker, webhook, task runner, own-mode child, a balancer, control, k6 or a database's name. */
  role: z.string(),
  peakMib: amount,
  /** Mean memory of the last quarter of its life divided by that of the second; undefined after only a few seconds. */
  growth: amount.optional(),
  /** Requests that the process served; undefined if not counted. */
  requests: amount.optional(),
});
export type ProcessFigures = z.infer<typeof processSchema>;

/** The record of a cell. Its names are those of version 0.1.0, whose records are published in docs/experiments. */
export const cellRecordSchema = z.object({
  /** Part and dimensions, usable as a folder name. */
  id: z.string(),
  part: z.string(),
  of: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** Hash of everything that defines the cell: with another digest it is another cell. */
  digest: z.string(),
  /** Checksum of the deployed manifests of another chart; undefined in records before 0.2. */
  manifests: z.string().optional(),
  startedAt: z.string(),
  /** Duration including the deployment. */
  tookSeconds: amount,
  machine: machineSchema,
  versions: z.record(z.string(), z.string()),
  /** Whether CPU and memory limits were enforced, and how. */
  limits: z.string(),
  /** The reason why nothing was measured: the error of the chart, or of n8n's start. */
  refused: z.string().optional(),
  /** Version of the driven Webhook node; undefined on a control server, and in records before 0.2, which drove version 1. */
  webhook: amount.optional(),
  load: loadSchema.optional(),
  /** Only for cells that end with an overload. */
  overload: overloadSchema.optional(),
  /** Only for a search for the largest payload. */
  payload: z
    .object({
      survivedMb: amount.optional(),
      brokeMb: amount.optional(),
      limit: z.enum([...deathReasonSchema.options, 'TaskRunner', 'FailedRequests', 'LoadTarget']).optional(),
    })
    .optional(),
  events: z.array(cellEventSchema),
  /** Processes of the cell, read from /proc; empty on Kubernetes. */
  processes: z.array(processSchema),
  /** Maximum number of n8n processes alive at the same time. */
  processesMost: amount.optional(),
  /** Peak memory of all processes but k6 together; shared pages count once. */
  memoryMostMib: amount.optional(),
  /** `executions`: executions that the pod has started; undefined if it does not count them. */
  pods: z.array(
    z.object({
      name: z.string(),
      component: z.enum(componentSchema.options),
      peakMib: amount,
      executions: amount.optional(),
    }),
  ),
  /** Executions per second that the workers' slots allow. */
  bound: amount.optional(),
  /** Cores, MiB and price per hour that the pods of this configuration reserve. */
  reserved: z.object({ cores: amount, memoryMib: amount, perHour: amount }).optional(),
});
/** The measurements of one cell of an experiment; times in seconds, memory in MiB. */
export type CellRecord = z.infer<typeof cellRecordSchema>;

export const experimentRecordSchema = z.object({
  experiment: z.string(),
  grid: z.enum(['quick', 'full']),
  cells: z.array(cellRecordSchema),
});
/** The record of one run of an experiment, which is committed beside its page. */
export type ExperimentRecord = z.infer<typeof experimentRecordSchema>;
