import { z } from 'zod';
import { componentSchema } from './events.js';

const amount = z.number().min(0);

const poolSchema = z.object({ active: amount, size: amount, pending: amount });
/** Connections of a process' database pool: in use, open, and requests that wait for one. */
export type PoolUse = z.infer<typeof poolSchema>;

const admissionSchema = z.object({
  underWay: amount,
  waiting: amount,
  limit: amount,
  /** The limit now: in an overload it is lower. Undefined in records before 0.2. */
  adaptive: amount.optional(),
  refused: amount,
});
/** The chart's overload protection: requests under way, those that wait in its line, its limit, and refusals so far. */
export type AdmissionLook = z.infer<typeof admissionSchema>;

const insideSchema = z.object({
  /** Garbage collection. n8n counts one collection of several that end at once, so this is the least it took. */
  gcSeconds: amount.optional(),
  /** Of that, in collections of the old generation, which run when the heap fills. */
  majorGcSeconds: amount.optional(),
  /** Connections taken from the pool of the database, and the time for which requests waited for them. */
  connections: amount.optional(),
  connectionSeconds: amount.optional(),
  /** Isolates taken to evaluate expressions. */
  isolates: amount.optional(),
  /** Of those, built while the event loop waited, because none was ready, and the time that took. */
  coldIsolates: amount.optional(),
  coldIsolateSeconds: amount.optional(),
});
/** What an n8n process counts of its own work since it started; a part is undefined where n8n does not export it. */
export type Inside = z.infer<typeof insideSchema>;

const containerMemorySchema = z.object({ name: z.string(), workingSetBytes: amount, limitBytes: amount });
/** Memory of a container with a limit, in a pod of several. */
export type ContainerMemory = z.infer<typeof containerMemorySchema>;

const instanceSampleSchema = z.object({
  name: z.string(),
  /** Undefined in records before 0.2. */
  component: componentSchema.optional(),
  rssBytes: amount,
  /** What the kernel cannot take back at once: in use, less file cache that is not active; undefined where it was not seen. */
  workingSetBytes: amount.optional(),
  /** The same of each container, where a pod has several: each has a limit of its own. */
  containers: z.array(containerMemorySchema).optional(),
  /** When the memory was measured, in milliseconds since the epoch; undefined: at the time of the sample. */
  memoryAt: amount.optional(),
  /** Since the process started, the children that have ended included. */
  cpuSeconds: amount,
  processes: amount,
  /** Of the first process' main thread, which runs its JavaScript; undefined where it cannot be read. */
  threadCpuSeconds: amount.optional(),
  /** Of n8n's own process without its children, by its own metrics. */
  ownCpuSeconds: amount.optional(),
  /** Executions ended since the deployment was ready, as this instance counts them; undefined where it counts none. */
  executions: amount.optional(),
  heapUsedBytes: amount.optional(),
  eventLoopLagP99Seconds: amount.optional(),
  /** Undefined below n8n 2.30, which does not show it. */
  pool: poolSchema.optional(),
  /** Undefined where the chart's overload protection is off. */
  admission: admissionSchema.optional(),
  /** Undefined where n8n's metrics were not read. */
  inside: insideSchema.optional(),
});
export type InstanceSample = z.infer<typeof instanceSampleSchema>;

const databaseLookSchema = z.object({
  /** Transactions that have ended since the first look, committed or rolled back; of every client, and of autovacuum. */
  transactions: amount,
  /** Rows inserted, updated and deleted since the first look, by any client; undefined in records before 0.2. */
  rowsWritten: amount.optional(),
  /** Client connections by state; `other` are starting, or belong to a user whose state is hidden from this one. */
  connections: z.object({ active: amount, idle: amount, inTransaction: amount, other: amount }),
  /** Connections that are active or in a transaction and wait, by PostgreSQL's `wait_event_type`: Lock, IO, LWLock, Client … */
  waiting: z.record(z.string(), amount),
});
/** PostgreSQL's statistics of n8n's database at one time. The connection that asks is in none of the numbers. */
export type DatabaseLook = z.infer<typeof databaseLookSchema>;

const replicasSchema = z.object({ component: componentSchema, wanted: amount, ready: amount });
/** How many pods of a component there should be, and how many take requests. */
export type Replicas = z.infer<typeof replicasSchema>;

const queueSchema = z.object({
  waiting: amount,
  active: amount,
  /** Jobs that were ever added to the queue; undefined in older records, and where only n8n tells the lengths. */
  added: amount.optional(),
  /** Commands that Redis has executed since it started, for any client; undefined where only n8n tells the lengths. */
  commands: amount.optional(),
});
/** Jobs in Bull's lists. */
export type QueueLook = z.infer<typeof queueSchema>;

const hostSchema = z.object({
  /** Cores that this tool and the deployment may use. */
  cores: z.number().gt(0),
  /** Seconds of these cores since the machine started, and those in which they worked or the hypervisor had taken them. */
  totalSeconds: amount,
  busySeconds: amount,
  /** CPU seconds of this tool and all that it started: the deployment, k6. */
  ownSeconds: amount,
});
/** The cores of the machine that runs both the deployment and k6. */
export type HostLook = z.infer<typeof hostSchema>;

export const sampleSchema = z.object({
  /** Milliseconds since the epoch. */
  at: amount,
  instances: z.array(instanceSampleSchema),
  /** Executions ended since the deployment was ready, over all processes; undefined when a process did not answer. */
  executions: z
    .object({
      succeeded: amount,
      failed: amount,
      /** Of asynchronous sub-workflows; undefined where there are none, or a process did not answer. */
      asynchronous: z.object({ started: amount, succeeded: amount, failed: amount }).optional(),
    })
    .optional(),
  /** In queue mode; undefined when Redis did not answer. */
  queue: queueSchema.optional(),
  /** Undefined without PostgreSQL, and when it did not answer. */
  database: databaseLookSchema.optional(),
  /** Where the number of pods can change. */
  replicas: z.array(replicasSchema).optional(),
  /** k6, while it runs. */
  generator: z.object({ cpuSeconds: amount, rssBytes: amount }).optional(),
  /** Of local processes on Linux. */
  host: hostSchema.optional(),
});
/** The state of everything under test at one time; taken once a second. */
export type Sample = z.infer<typeof sampleSchema>;

/** Tables of n8n that grow with every execution. */
export const EXECUTION_TABLES = ['execution_entity', 'execution_data'] as const;

export const rowsSchema = z.object({
  /** Milliseconds since the epoch. */
  at: amount,
  rows: z.object({ execution_entity: amount, execution_data: amount }),
});
/** Rows of n8n's tables at one time of a soak. */
export type RowsRecord = z.infer<typeof rowsSchema>;
export type RowCounts = RowsRecord['rows'];
