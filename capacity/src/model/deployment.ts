import type { Progress } from '../core/progress.js';
import type { Component, InstanceEvent, Limits } from './events.js';
import type { Generator } from './generator.js';
import type { Plan, Values } from './plan.js';
import type { DeploymentRecord } from './run.js';
import type { CpuProfile } from './profile.js';
import type {
  AdmissionLook,
  ContainerMemory,
  DatabaseLook,
  HostLook,
  Inside,
  PoolUse,
  QueueLook,
  Replicas,
  RowCounts,
} from './sample.js';
import type { GeneratorPlace } from './step.js';

/** Brings a plan's configuration to life: as local processes, on Kubernetes, or by using an existing n8n. */
export interface Provisioner {
  /**
   * Checks everything that can be checked before anything is started.
   * @throws UsageError for what the user must change, ChartRefused for values that contradict each other
   */
  prepare(plan: Plan, progress: Progress): Promise<Prepared>;
}

/** A validated configuration, ready to deploy. */
export interface Prepared {
  versions: { n8n: string; helm?: string; chart?: string };
  /** The deployment, as far as it is known before it exists. */
  record: Omit<DeploymentRecord, 'limits'>;
  /**
   * Starts it, with the plan's workflows active. Whatever was started is ended when it fails half way.
   * @param logs folder for the instances' logs; it outlives the deployment
   * @throws NotReady when an instance does not come up
   */
  deploy(logs: string): Promise<Deployment>;
}

/** A running deployment: where to send load, what to observe, how to end it. */
export interface Deployment {
  /** For the record; it holds no secret. */
  record: DeploymentRecord;
  /** Version of the Node that n8n runs on; undefined if unknown. */
  node?: string;
  /** How long main took from its start until it served requests, in seconds; undefined where that is not seen. */
  startSeconds?: number;
  access: Access;
  sources: Sources;
  /** Deaths, restarts and failed probes. */
  events: EventLog;
  /**
   * Starts at once what is down and waits until everything is ready: the back-off after a death belongs to the step in which
   * it happened.
   * @returns whether something had died since the last call; n8n then still recovers the executions that it lost
   * @throws NotReady when an instance does not come up again
   */
  ready(): Promise<boolean>;
  /**
   * Starts a CPU profile of an instance of n8n; `stop` ends it and gives it in V8's format. Undefined unless the plan asks for
   * one.
   */
  profile?: (instance: string) => Promise<{ stop(): Promise<CpuProfile> }>;
  /**
   * Puts finished executions of a workflow into the database; undefined where that is not supported.
   * @throws EnvironmentFault if the database refuses them
   */
  seed?: (seed: { executions: number; workflowId: string }) => Promise<void>;
  /**
   * Replaces n8n by that of other values, on the same database, as `helm upgrade` does, and waits until it is ready. Undefined
   * where that is not supported.
   * @returns how long main took until it served requests, its migrations included, in seconds
   * @throws ChartRefused, UsageError, NotReady
   */
  upgrade?: (values: Values) => Promise<{ seconds: number }>;
  /** Harms instances, as a fault does; undefined where that is not supported. */
  injector?: FaultInjector;
  /** The chart's rescue, where the values enable it. */
  rescue?: Rescue;
  /** Ends everything and removes what it made, logs excepted. May be called twice. */
  teardown(): Promise<void>;
}

/** The chart's rescue beside a deployment. It needs a key of n8n's API, so it starts after n8n. */
export interface Rescue {
  /** Tag of the workflows that it looks after. */
  tag: string;
  /** Base URL of n8n's main as it is reached from here. */
  main: () => Promise<string>;
  /** Starts it with a key of n8n's API. The teardown ends it. */
  start: (apiKey: string) => Promise<void>;
}

/** What shows that a fault happened; undefined where nothing does. */
export type Evidence = string | undefined;

/** Harms a deployment, as a fault does. What it does is over when it resolves; what recovers by itself may still recover. */
export interface FaultInjector {
  /** Environment of n8n's main, with the addresses and passwords of its databases as n8n reaches them. */
  environment: Record<string, string>;
  /** n8n's PostgreSQL as it is reached from here; undefined for another database. */
  postgres?: PostgresAddress;
  /** Ends one instance of a component, or all at once, as the kernel does when memory runs out; they are restarted. */
  kill(component: Component, which: 'one' | 'all', signal: AbortSignal): Promise<Evidence>;
  /** Halts an instance for a time in seconds, as a frozen machine does, or a network that drops everything. */
  halt(component: Component, seconds: number, signal: AbortSignal): Promise<Evidence>;
  /** Ends a database as its image is stopped; it is started again at once. */
  restart(database: 'redis' | 'postgresql', signal: AbortSignal): Promise<Evidence>;
  /** Ends a database as its image is stopped; it is started again after a time in seconds, and then ready. */
  takeAway(database: 'redis' | 'postgresql', seconds: number, signal: AbortSignal): Promise<Evidence>;
  /** Ends Redis, and starts it again without its data. */
  loseQueue(signal: AbortSignal): Promise<Evidence>;
  /** Restarts every n8n process in its grace period, as a rolling upgrade does. */
  restartEach(signal: AbortSignal): Promise<Evidence>;
  /** Ends a worker in its grace period, for good. */
  scaleIn(signal: AbortSignal): Promise<Evidence>;
  /** Evicts n8n's pods of one node, as a drain of the node does; undefined where there are no nodes. */
  drain?(signal: AbortSignal): Promise<Evidence>;
}

/** What the load generator needs. */
export interface Access {
  /** Base URLs that serve production webhooks; several when there are several webhook processors. */
  endpoints: string[];
  /** Value of the header `x-load-target-token`, without which a load target answers 403. */
  token: string;
  /** Environment of the k6 scripts, beside the plan's. */
  scriptEnv?: Record<string, string>;
  /** The generator, where it must be near the deployment; undefined: k6 of this machine. */
  generator?: Generator;
  /** Where k6 of this machine is relative to the deployment; undefined: as k6 reports. */
  generatorPlace?: GeneratorPlace;
}

/** What the observation reads. */
export interface Sources {
  observer: Observer;
  /** Ids of the driven workflows where n8n assigned them; undefined: those in their files. */
  workflowIds?: Set<string>;
  /** Ids of the asynchronous sub-workflows that these start; undefined: those of the plan's workflows. */
  asynchronousIds?: Set<string>;
  /** False where executions cannot be counted, so that nothing waits for a count. */
  countsExecutions?: false;
  /** In queue mode, where the queue can be read. */
  queue?: QueueSource;
  /** n8n's PostgreSQL, where it can be reached. */
  database?: DatabaseSource;
  /** Undefined where rows cannot be counted without risk to the deployment. */
  countRows?: RowCounter;
}

/** Address and login of a PostgreSQL. */
export interface PostgresAddress {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /** Use TLS with a certificate that this machine trusts. */
  ssl?: boolean;
}

/** Bull's Redis. */
export interface RedisAddress {
  host: string;
  port: number;
  user?: string;
  password?: string;
  /** Number of its database; 0 by default. */
  database?: number;
  /** Of the keys of n8n's queue; `bull` by default. */
  prefix?: string;
}

/** One pod under test. */
export interface Instance {
  name: string;
  component: Component;
  /** The limits that the chart gives it. */
  limits: Limits;
}

/** Reads the lengths of Bull's lists. One look at a time. */
export interface QueueSource {
  /** Undefined when Redis does not answer within a second. */
  look(): Promise<QueueLook | undefined>;
  close(): Promise<void>;
}

/** Reads PostgreSQL's statistics. One look at a time. */
export interface DatabaseSource {
  /** Undefined when PostgreSQL does not answer within a second. */
  look(): Promise<DatabaseLook | undefined>;
  close(): Promise<void>;
}

/** Counts the rows of n8n's execution tables; rejects when the database does not answer. */
export type RowCounter = () => Promise<RowCounts>;

/** Looks at all instances of a deployment, wherever they run. */
export interface Observer {
  look(timeoutMs: number): Promise<Look>;
}

/** What one look at a deployment has shown. */
export interface Look {
  /** One for each instance; a quantity that cannot be read is undefined. */
  instances: InstanceLook[];
  events: InstanceEvent[];
  /** Where their number can change. */
  replicas?: Replicas[];
  /** Where the deployment runs on this machine. */
  host?: HostLook;
}

/** What one look at an instance has shown. */
export interface InstanceLook {
  name: string;
  /** `balancer`: a load balancer that an experiment puts before the pods. */
  component: Component | 'balancer';
  /** Undefined when it could not be read or nothing of the instance runs. */
  usage?: TreeUsage;
  /** n8n's own metrics; undefined when it has none or did not answer in time. */
  metrics?: N8nMetrics;
  /** Identifies the process that answered: counters of another one begin at 0 again. */
  incarnation: string;
  /** It has not been ready yet, so that it cannot have run anything. */
  starting?: boolean;
}

/** Sums over a process and all its descendants. */
export interface TreeUsage {
  rssBytes: number;
  /** Undefined where nothing accounts for it, as for a pod of several containers. */
  workingSetBytes?: number;
  /** Of a pod with several containers, those with a limit. */
  containers?: ContainerMemory[];
  /** When the memory was measured, in milliseconds since the epoch; undefined: now. */
  memoryAt?: number;
  cpuSeconds: number;
  processes: number;
  /** Of the first process' main thread alone. */
  threadCpuSeconds?: number;
}

/** The metrics that are read from one n8n process. */
export interface N8nMetrics {
  /** When the process started, in milliseconds since the epoch; undefined where it does not say. */
  startedAtMs?: number;
  /** When it answered, by its own clock in whole seconds; undefined where it does not say. */
  answeredAtMs?: number;
  /** Whether it counts executions at all: the series are missing before the first one, and when metrics are set otherwise. */
  counting: boolean;
  /** Executions that have begun, by workflow id; undefined where only those that have ended are known. */
  started?: Map<string, number>;
  /** Executions that have ended, by workflow id; the id is empty where that n8n has no such label (0.x). */
  succeeded: Map<string, number>;
  failed: Map<string, number>;
  heapUsedBytes?: number;
  eventLoopLagP99Seconds?: number;
  /** n8n's own process, without its children. */
  process?: { cpuSeconds: number; rssBytes: number };
  /** Jobs in Bull's lists, which main reads every 20 s in queue mode. */
  queue?: QueueLook;
  /** Its database connections; n8n shows them since 2.30. */
  pool?: PoolUse;
  /** Of the chart's overload protection. */
  admission?: AdmissionLook;
  inside?: Inside;
  /** Of the chart's hooks by their names, whether each has bound; undefined where n8n shows none. */
  hooks?: Map<string, boolean>;
  /** Of n8n. */
  version?: string;
}

/** Events of a deployment in the order in which they happened. */
export class EventLog {
  private readonly events: InstanceEvent[] = [];

  add(...events: InstanceEvent[]): void {
    this.events.push(...events);
  }

  /** Every event so far. */
  get all(): readonly InstanceEvent[] {
    return this.events;
  }

  /** A place in the log, for `since`. */
  get mark(): number {
    return this.events.length;
  }

  /** The events after a mark. */
  since(mark: number): InstanceEvent[] {
    return this.events.slice(mark);
  }
}
