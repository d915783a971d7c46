import { componentSchema, deathReasonSchema, eventSchema } from 'n8n-capacity';
import { z } from 'zod';

const amount = z.number().min(0);

const machineSchema = z.object({
  cpus: amount,
  memoryBytes: amount,
  kernel: z.string(),
  processor: z.string(),
  /** Which cores k6 had, and which everything else. */
  sharing: z.string(),
});
/** Where a cell was measured. */
export type Machine = z.infer<typeof machineSchema>;

const loadSchema = z.object({
  answered: amount,
  failed: amount,
  /** Failed requests by kind. */
  failures: z.record(z.string(), amount),
  /** Iterations that k6 could not start in time. */
  dropped: amount,
  /** Percentiles above the service time, in seconds; null without an answer. */
  latency: z.object({ p50: amount, p95: amount, p99: amount, max: amount }).nullable(),
  /** Of the closed model. */
  clients: amount.optional(),
  /** Arrivals per second that were asked for; undefined in the closed model. */
  asked: amount.optional(),
  seconds: amount,
  /** Executions, warm-up included; null if they could not be counted. `sent` is undefined in records before 0.2. */
  executions: z
    .object({ sent: amount.optional(), accepted: amount, completed: amount, failed: amount, drainSeconds: amount })
    .nullable(),
  /** What an answer takes by design; the latencies are above it. */
  serviceSeconds: amount,
  /** Share of the cores that k6 may use; null where it could not be read. */
  k6CpuShare: amount.nullable(),
  /** Requests per second that k6 reaches against a server that answers at once; undefined if not measured. */
  k6Limit: amount.optional(),
  /** What was wrong with k6, so that the figures say nothing. */
  problem: z.string().optional(),
});
/** The measured part of a cell's last step. */
export type LoadFigures = z.infer<typeof loadSchema>;

const overloadSchema = z.object({
  /** Requests per second that clients got through, each waiting for its answer: the mean of before and after. */
  capacity: amount,
  /** Arrivals per second of the overload, and its length in seconds. */
  rate: amount,
  seconds: amount,
  answered: amount,
  /** Correct answers that came during the overload, whenever they were asked for; older records have none. */
  served: amount.optional(),
  /** Answered with 503 and Retry-After, and the median time until that, in seconds. */
  refused: amount,
  refusedP50: amount.optional(),
  /** Failed otherwise, or not sent. */
  failed: amount,
  /** Executions that succeeded per second; undefined where they could not be counted. */
  completed: amount.optional(),
  /** Percentiles of the answers' overhead while that rate arrived, in seconds; none in records before 0.2. */
  p50: amount.optional(),
  p95: amount.optional(),
  /** Seconds of the lower rate after it until all was normal again; undefined if it was not. */
  backSeconds: amount.optional(),
  /** Why it says nothing; undefined if it does. */
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
  /** What it is: main, worker, webhook, task runner, own-mode child, balancer, control, k6 or a database's name. */
  role: z.string(),
  peakMib: amount,
  /** Mean of the last quarter of its life over that of the second; undefined if it lived only a few seconds. */
  growth: amount.optional(),
  /** Requests that it served, where they were counted. */
  requests: amount.optional(),
});
export type ProcessFigures = z.infer<typeof processSchema>;

/** The names are those of version 0.1.0, whose records are published in docs/experiments. */
export const cellRecordSchema = z.object({
  /** Part and dimensions, as a folder's name. */
  id: z.string(),
  part: z.string(),
  of: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** Of everything that was asked of the cell: with another digest it is another cell. */
  digest: z.string(),
  /** Checksum of the manifests of another chart that were deployed; records before 0.2 do not say it. */
  manifests: z.string().optional(),
  startedAt: z.string(),
  /** How long it took, the deployment included. */
  tookSeconds: amount,
  machine: machineSchema,
  versions: z.record(z.string(), z.string()),
  /** Whether CPU and memory limits were enforced, and how. */
  limits: z.string(),
  /** Why nothing was measured: what the chart, or n8n's start, said. */
  refused: z.string().optional(),
  /** Version of the Webhook node that it drove; undefined on a control server, and in records before 0.2, which drove 1. */
  webhook: amount.optional(),
  load: loadSchema.optional(),
  /** Of a cell that ends with an overload. */
  overload: overloadSchema.optional(),
  /** Of a search for the largest payload. */
  payload: z
    .object({
      survivedMb: amount.optional(),
      brokeMb: amount.optional(),
      limit: z.enum([...deathReasonSchema.options, 'TaskRunner', 'FailedRequests', 'LoadTarget']).optional(),
    })
    .optional(),
  events: z.array(cellEventSchema),
  /** Processes of the cell, as /proc showed them; none on Kubernetes. */
  processes: z.array(processSchema),
  /** The most processes of n8n alive at one time. */
  processesMost: amount.optional(),
  /** The most memory that all processes but k6 held at one time; shared pages count once. */
  memoryMostMib: amount.optional(),
  /** `executions` are those that the pod has started; undefined if it counts none. */
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
  /** What the pods of this configuration reserve: cores, MiB, and the price of an hour. */
  reserved: z.object({ cores: amount, memoryMib: amount, perHour: amount }).optional(),
});
/** The measurements of one cell of an experiment; times in seconds, memory in MiB. */
export type CellRecord = z.infer<typeof cellRecordSchema>;

export const experimentRecordSchema = z.object({
  experiment: z.string(),
  grid: z.enum(['quick', 'full']),
  cells: z.array(cellRecordSchema),
});
/** One run of an experiment, as it is committed beside its page. */
export type ExperimentRecord = z.infer<typeof experimentRecordSchema>;
