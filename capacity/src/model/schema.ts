import { z } from 'zod';
import type { Sample } from '../observe/sampler.js';
import type { Plan } from './plan.js';
import type { InstanceEvent } from './deployment.js';
import type { RowsRecord, RunRecord, StepRecord } from './record.js';

/** What is read of records must be so; what else is in them, of a newer version, stays. */

const amount = z.number().min(0);
const amounts = z.record(z.string(), amount);
const strings = z.array(z.string());

const limits = z.looseObject({ cpuMillis: amount.optional(), memoryBytes: amount.optional() });
const component = z.enum(['main', 'worker', 'webhook', 'postgresql', 'redis']);

const load = z.looseObject({
  name: z.string(),
  parts: z.array(z.looseObject({ workload: z.string(), weight: amount })).min(1),
  serviceSeconds: amounts,
  executionSeconds: amounts,
});

const phase = z.looseObject({ name: z.enum(['base', 'spike', 'recovery']), rate: amount });

const rates = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('rates'), rates: z.array(amount) }),
  z.looseObject({
    kind: z.literal('search'),
    start: amount,
    factor: z.number().gt(1),
    precision: z.number().gt(0),
    maxSteps: amount,
    lowest: amount,
    challenge: amount.optional(),
  }),
  z.looseObject({ kind: z.literal('target'), rate: amount, headroom: z.number().gt(0) }),
  z.looseObject({ kind: z.literal('closed'), clients: amount }),
  z.looseObject({ kind: z.literal('soak'), rate: amount }),
  z.looseObject({
    kind: z.literal('burst'),
    base: amount,
    spike: amount,
    baseSeconds: amount,
    spikeSeconds: amount,
    recoverySeconds: amount,
    drainWithinSeconds: amount,
  }),
  z.looseObject({
    kind: z.literal('ceiling'),
    concurrency: z.array(amount),
    least: amount,
    most: amount,
    rungs: z.array(amount).optional(),
  }),
]);

/** A plan as records keep it. */
export const planSchema = z.looseObject({
  values: z.looseObject({ files: strings, set: strings }),
  loads: z.array(load).min(1),
  rates,
  slo: z.looseObject({
    p50: amount.optional(),
    p95: amount.optional(),
    p99: amount.optional(),
    errors: z.number().min(0).max(1),
  }),
  stepSeconds: amount,
  warmupSeconds: amount,
  drainSeconds: amount,
  timeoutSeconds: amount,
  scriptEnv: z.record(z.string(), z.string()),
  guard: z.looseObject({ maxRate: amount }).optional(),
}) as unknown as z.ZodType<Plan>;

const deployment = z.looseObject({
  provisioner: z.enum(['process', 'kubernetes', 'existing']).optional(),
  mode: z.enum(['regular', 'queue', 'unknown']),
  process: z.enum(['main', 'own', 'unknown']),
  database: z.string(),
  limits: z.looseObject({ enforced: z.boolean(), detail: z.string() }),
  instances: z.array(
    z.looseObject({
      name: z.string(),
      component,
      limits,
      heapMiB: amount.optional(),
      runnerHeapMiB: amount.optional(),
    }),
  ),
  autoscalers: z.array(z.looseObject({ component, kind: z.string(), least: amount, most: amount })).optional(),
  slots: amount.optional(),
  poolSize: amount.optional(),
  versionFrom: z.string().optional(),
  builtIn: strings.optional(),
  loadTargetMegabytes: amount.optional(),
  pruning: z.looseObject({ maxAgeHours: amount, maxCount: amount }).optional(),
});

export const runSchema = z.looseObject({
  tool: z.string(),
  startedAt: z.string(),
  plan: planSchema,
  versions: z.looseObject({ n8n: z.string(), k6: z.string() }),
  machine: z.looseObject({
    cpus: z.number().gt(0),
    memoryBytes: amount,
    platform: z.string(),
    generatorLimit: amount.optional(),
    noise: z.looseObject({ runs: z.number().int().min(2), rate: amount, latency: amount.optional() }).optional(),
  }),
  deployment,
}) as unknown as z.ZodType<RunRecord>;

const event = z.looseObject({
  at: amount,
  instance: z.string(),
  component,
  kind: z.enum(['died', 'restarted', 'probe-failed', 'unready', 'runner-died', 'scaled', 'evicted', 'unobserved']),
  reason: z.enum(['OOMKilled', 'V8HeapLimit', 'LivenessProbe', 'Crash']).optional(),
  detail: z.string(),
});
export const eventSchema = event as unknown as z.ZodType<InstanceEvent>;

const latency = z.looseObject({ p50: amount, p95: amount, p99: amount, max: amount }).nullable();

const summary = z.looseObject({
  offered: amount,
  answered: amount,
  failed: amount,
  failures: amounts,
  dropped: amount,
  latency,
  seconds: z.array(
    z.looseObject({ at: amount, sent: amount, answered: amount, failed: amount, p50: amount.optional() }),
  ),
  vusMost: amount,
});

export const stepSchema = z.looseObject({
  index: z.number().int().min(0),
  load: z.string(),
  rate: z.number().gt(0).optional(),
  phases: z
    .array(
      phase.extend({ from: z.number(), to: z.number(), answered: amount, failed: amount, failures: amounts, latency }),
    )
    .optional(),
  clients: z.number().gt(0).optional(),
  mb: amount.optional(),
  measuredFrom: amount,
  measuredTo: amount,
  endedAt: amount,
  k6: z.looseObject({
    exitCode: z.number().nullable(),
    message: z.string().optional(),
    cpuShare: amount.nullable(),
    limit: z.number().gt(0).optional(),
    samples: z.string(),
    place: z.enum(['machine', 'own-node', 'shared-node', 'forwarded', 'elsewhere']).optional(),
  }),
  summary,
  executions: z.looseObject({ accepted: amount, completed: amount, failed: amount, drainSeconds: amount }).nullable(),
  // More may have ended than were accepted, of what an earlier step has left.
  backlog: z.array(z.looseObject({ at: z.number(), executions: z.number() })),
  events: z.array(event),
  aborted: z.literal(true).optional(),
}) as unknown as z.ZodType<StepRecord>;

export const sampleSchema = z.looseObject({
  at: amount,
  instances: z.array(
    z.looseObject({
      name: z.string(),
      rssBytes: amount,
      cpuSeconds: amount,
      processes: amount,
      executions: amount.optional(),
      heapUsedBytes: amount.optional(),
      eventLoopLagP99Seconds: amount.optional(),
      pool: z.looseObject({ active: amount, size: amount, pending: amount }).optional(),
    }),
  ),
  executions: z.looseObject({ succeeded: amount, failed: amount }).optional(),
  queue: z.looseObject({ waiting: amount, active: amount }).optional(),
  database: z
    .looseObject({
      transactions: amount,
      connections: z.looseObject({ active: amount, idle: amount, inTransaction: amount, other: amount }),
      waiting: amounts,
    })
    .optional(),
  replicas: z.array(z.looseObject({ component, wanted: amount, ready: amount })).optional(),
  generator: z.looseObject({ cpuSeconds: amount, rssBytes: amount }).optional(),
}) as unknown as z.ZodType<Sample>;

export const rowsSchema = z.looseObject({
  at: amount,
  rows: z.looseObject({ execution_entity: amount, execution_data: amount }),
}) as unknown as z.ZodType<RowsRecord>;
