import type { Generator } from '../load/generator.js';
import type { Observer } from '../observe/observer.js';
import type { RowCounter } from '../observe/tables.js';
import type { DatabaseSource } from '../observe/postgres.js';
import type { QueueSource } from '../observe/queue.js';
import type { Plan } from './plan.js';
import type { DeploymentRecord, GeneratorPlace } from './record.js';
import type { Progress } from '../core/progress.js';

/** Brings a plan's configuration to life: as local processes, on Kubernetes, or by using what is there already. */
export interface Provisioner {
  /** Checks all that can be checked before anything is started. Throws InputError. */
  prepare(plan: Plan, progress: Progress): Promise<Prepared>;
}

/** A configuration that nothing speaks against. */
export interface Prepared {
  versions: { n8n: string; helm?: string; chart?: string };
  /** What it will be, as far as that is known before it is. */
  record: Omit<DeploymentRecord, 'limits'>;
  /**
   * Starts it, with the plan's workflows active. What it has started is ended when it fails half way.
   * @param logs folder for what the instances print; it outlives the deployment
   */
  deploy(logs: string): Promise<Deployment>;
}

/** What a provisioner hands to the rest: where to send load, what to watch, how to end it. */
export interface Deployment {
  /** Base URLs that serve production webhooks; several when there are several webhook processors. */
  endpoints: string[];
  /** Value of the header `x-load-target-token`, without which a load target answers 403. */
  token: string;
  /** Ids of the driven workflows, where n8n gave them; absent: those in their files. */
  workflowIds?: Set<string>;
  /** False where executions cannot be counted, so that nobody waits for a count. */
  countsExecutions?: false;
  /** Environment of the k6 scripts beside the plan's. */
  scriptEnv?: Record<string, string>;
  /** Everything under test now, one entry a pod; where pods come and go, the observer keeps it so. */
  instances: (Instance | Balancer)[];
  /** Looks at those instances. */
  observer: Observer;
  /** What a reader of the record must know of it; no secret is among it. */
  record: DeploymentRecord;
  /** Version of the Node that n8n runs on; absent when nothing says. */
  node?: string;
  /** What drives it, where that must be near it; absent: k6 of this machine. */
  generator?: Generator;
  /** Where k6 of this machine stands to it; absent: what k6 says of itself. */
  generatorPlace?: GeneratorPlace;
  /** Says how long Bull's lists are, in queue mode, where Redis cannot be reached. */
  queue?: QueueSource;
  /** Bull's Redis, in queue mode, where it can be reached. */
  redis?: RedisAddress;
  /** Says what n8n's PostgreSQL shows, where it can be reached. */
  database?: DatabaseSource;
  /** Counts the rows of n8n's tables; absent where that cannot be done without risk to it. */
  countRows?: RowCounter;
  /** Deaths, restarts and failed probes, in the order they happened; appended to as the run goes on. */
  events: InstanceEvent[];
  /**
   * Starts at once what is down and waits until everything is ready: the back-off after a death belongs to the step in which
   * it happened. Throws InputError when something does not come up again.
   * @returns whether something had died since it was asked last; n8n then still recovers the executions that it lost
   */
  ready(): Promise<boolean>;
  /** Ends everything and removes what it made, events and logs excepted. May be called twice. */
  teardown(): Promise<void>;
}

export interface RedisAddress {
  host: string;
  port: number;
  password?: string;
}

export interface LimitsNotice {
  enforced: boolean;
  /** For a person: `cgroup v1`, or the reason why limits are not enforced. */
  detail: string;
}

export type Component = 'main' | 'worker' | 'webhook' | 'postgresql' | 'redis';

/** One pod under test. */
export interface Instance {
  name: string;
  component: Component;
  /** The limits that the chart gives it. */
  limits: Limits;
}

/** No pod of the chart, but what an experiment has put before them. */
export interface Balancer extends Omit<Instance, 'component'> {
  component: 'balancer';
}

export interface Limits {
  /** CPU limit in millicores. */
  cpuMillis?: number;
  /** Memory limit in bytes. */
  memoryBytes?: number;
}

/** Something that must not happen in a step. */
export interface InstanceEvent {
  /** Milliseconds since the epoch. */
  at: number;
  instance: string;
  component: Component;
  kind:
    | 'died'
    | 'restarted'
    | 'probe-failed'
    | 'unready'
    | 'runner-died'
    /** Not of its own doing: an autoscaler moved, its pod or its node was taken away, the cluster could not be asked. */
    | 'scaled'
    | 'evicted'
    | 'unobserved';
  /** For `died`, and `runner-died` of a container: which limit or fault it was. */
  reason?: DeathReason;
  detail: string;
}

export type DeathReason = 'OOMKilled' | 'V8HeapLimit' | 'LivenessProbe' | 'Crash';
