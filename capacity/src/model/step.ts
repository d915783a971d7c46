import { z } from 'zod';
import { componentSchema, eventSchema } from './events.js';
import { phaseNameSchema } from './plan.js';

const amount = z.number().min(0);
const amounts = z.record(z.string(), amount);

/** Percentiles of the overhead, in seconds; null without an answer. */
const latencySchema = z.object({ p50: amount, p95: amount, p99: amount, max: amount }).nullable();

const slowSchema = z.object({ p50: amount.optional(), p95: amount.optional(), p99: amount.optional() });
/** Answers above each latency objective. */
export type SlowAnswers = z.infer<typeof slowSchema>;

const loadSecondSchema = z.object({
  /** Seconds since the measured part began. */
  at: amount,
  sent: amount,
  answered: amount,
  failed: amount,
  /** Median overhead of the answers of that second, in seconds; undefined without an answer. */
  p50: amount.optional(),
  /** As in the summary. */
  slow: slowSchema.optional(),
});
/** One second of a step, as k6 saw it. */
export type LoadSecond = z.infer<typeof loadSecondSchema>;

const summarySchema = z.object({
  /** Iterations that were due: sent and dropped. */
  offered: amount,
  answered: amount,
  failed: amount,
  /** Failed requests by kind. */
  failures: amounts,
  dropped: amount,
  latency: latencySchema,
  /** Answers above each latency objective of the plan; undefined in records before 0.2. */
  slow: slowSchema.optional(),
  /** The same of each workload of a mix; undefined for a single one, and in records before 0.2. */
  parts: z.record(z.string(), z.object({ answered: amount, failed: amount, slow: slowSchema })).optional(),
  /** 95th percentile of the time by which requests were sent after they were due, in seconds; undefined in closed steps. */
  lagP95: amount.optional(),
  seconds: z.array(loadSecondSchema),
  /** Most requests in flight. */
  vusMost: amount,
  /** Median time until a refusal (503 with Retry-After), in seconds; undefined where nothing was refused. */
  refusedP50: amount.optional(),
});
/** What k6 saw in the measured part of a step. Latencies are overheads, in seconds. */
export type LoadSummary = z.infer<typeof summarySchema>;
export type PartSummary = NonNullable<LoadSummary['parts']>[string];

const phaseRecordSchema = z.object({
  name: phaseNameSchema,
  /** Arrivals per second. */
  rate: amount,
  /** Seconds since the measured part began. */
  from: z.number(),
  to: z.number(),
  answered: amount,
  /** Correct answers that came in this time, whenever they were asked for; older records have none. */
  served: amount.optional(),
  failed: amount,
  failures: amounts,
  latency: latencySchema,
  /** As in the summary. */
  refusedP50: amount.optional(),
});
/** A part of a burst or an overload, as k6 saw it. */
export type PhaseRecord = z.infer<typeof phaseRecordSchema>;

/**
 * Where k6 ran. Beside local processes. In a pod, on a node with or without pods under test. On this machine, with its requests
 * forwarded into a cluster. Or on another machine than an existing n8n.
 */
const placeSchema = z.enum(['machine', 'own-node', 'shared-node', 'forwarded', 'elsewhere']);
export type GeneratorPlace = z.infer<typeof placeSchema>;

const memorySchema = z.object({
  instance: z.string(),
  component: componentSchema,
  /** The working set: what the kernel cannot take back at once, in bytes. */
  usedBytes: amount,
  limitBytes: amount,
});
/** How much of its memory limit an instance used. */
export type MemoryUse = z.infer<typeof memorySchema>;

const machineSchema = z.object({
  cores: z.number().gt(0),
  /** Mean number of cores that worked, and of those that worked for others than this tool, k6 and the deployment. */
  busyCores: amount,
  otherCores: amount,
  /** Cores that others used while hardly any was idle: the deployment had to do without them. Mean over the whole step. */
  takenCores: amount,
});
/** Use of the machine that runs the deployment and k6. */
export type MachineUse = z.infer<typeof machineSchema>;

const forecastSchema = z.object({
  /** Whether the rate would hold. */
  holds: z.boolean(),
  /** 95th percentile of the overhead, in seconds; undefined above what a resource can serve at all. */
  p95: amount.optional(),
  /** Cores of all pods together. */
  cores: amount,
});
/** What the steps before a step said of it. */
export type StepForecast = z.infer<typeof forecastSchema>;

export const stepSchema = z.object({
  index: z.number().int().min(0),
  load: z.string(),
  /** Arrivals per second; undefined in a closed step, a burst and an overload. */
  rate: z.number().gt(0).optional(),
  /** Its arrivals were recorded ones, whose rate varies; `rate` is their mean. */
  replayed: z.literal(true).optional(),
  /** Of a burst or an overload. */
  phases: z.array(phaseRecordSchema).optional(),
  clients: z.number().gt(0).optional(),
  /** What each execution held, in a run for the payload limit. */
  payloadMiB: amount.optional(),
  /** Milliseconds since the epoch. */
  measuredFrom: amount,
  measuredTo: amount,
  endedAt: amount,
  k6: z.object({
    exitCode: z.number().nullable(),
    message: z.string().optional(),
    /** Share of all cores, 0 to 1; null where it could not be read. */
    cpuShare: amount.nullable(),
    /** Requests per second that this generator reaches against a server that answers at once; undefined if not measured. */
    limit: z.number().gt(0).optional(),
    /** File of its samples, relative to the run's folder. */
    samples: z.string(),
    /** Undefined: this machine. */
    place: placeSchema.optional(),
  }),
  summary: summarySchema,
  /**
   * Executions, warm-up included: requests sent, accepted (each correct answer starts one), ended, ended as failed; null if
   * they could not be counted. `unproved` are requests without a correct answer that n8n may have executed all the same.
   * `sent` and `unproved` are undefined in records before 0.2.
   */
  executions: z
    .object({
      sent: amount.optional(),
      unproved: amount.optional(),
      accepted: amount,
      completed: amount,
      failed: amount,
      drainSeconds: amount,
      /** Of asynchronous sub-workflows; null if not counted, undefined where there are none. */
      asynchronous: z.object({ started: amount, completed: amount, failed: amount }).nullable().optional(),
    })
    .nullable(),
  /** Most memory in use in the measured part, of each instance with a limit; undefined where it was not seen. */
  memory: z.array(memorySchema).optional(),
  /** Components whose limits are enforced and whose memory was not seen; undefined where there is none. */
  memoryUnseen: z.array(componentSchema).optional(),
  /** Components whose memory was not measured during the step, which was shorter than a minute; undefined if there are none. */
  memoryUnmeasured: z.array(componentSchema).optional(),
  /** Instances that used more CPU than their limit allows, as limits are not enforced: mean cores of the measured part. */
  cpuAboveLimit: z.array(z.object({ instance: z.string(), cores: amount, limitCores: amount })).optional(),
  /** Instances whose heap was full in every look, in bytes: the least that was in use, and its limit. */
  heapFull: z.array(z.object({ instance: z.string(), leastBytes: amount, limitBytes: amount })).optional(),
  /** Largest jump of this machine's clock in the step, in seconds; undefined where it was 0.25 s or less. */
  clockJumpSeconds: amount.optional(),
  /** In the measured part; undefined where it was not seen, and where the deployment runs elsewhere. */
  machine: machineSchema.optional(),
  /**
   * Executions accepted but not ended, about once a second; `at` in seconds since the measured part began. In a burst and an
   * overload until its drain has ended. Negative when executions of an earlier step end late. `waiting` are those that should
   * have ended by their design, `succeeded` and `failed` all that did since the step began; undefined in older records.
   */
  backlog: z.array(
    z.object({
      at: z.number(),
      executions: z.number(),
      waiting: amount.optional(),
      succeeded: z.number().optional(),
      failed: z.number().optional(),
    }),
  ),
  events: z.array(eventSchema),
  /** Undefined where the steps before it were too few. */
  forecast: forecastSchema.optional(),
  /**
   * k6 ended it early: errors of an n8n that others use were clearly above the objective, or a step of a search could no longer
   * meet one. The requests that were under way then are not recorded.
   */
  aborted: z.literal(true).optional(),
  /** The user ended it early; it is judged for as long as it lasted. */
  cut: z.literal(true).optional(),
});
/** One step, written when it has ended. */
export type StepRecord = z.infer<typeof stepSchema>;
