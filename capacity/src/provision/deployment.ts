/** What a provisioner hands to the rest: where to send load, what to watch, how to end it. */
export interface Deployment {
  /** Base URLs that serve production webhooks; several when there are several webhook processors. */
  endpoints: string[];
  /** Value of the header `x-load-target-token`, without which a load target answers 403. */
  token: string;
  /** Everything under test, one entry a pod. */
  instances: Instance[];
  /** Version of the Node that n8n runs on. */
  node: string;
  /** Bull's Redis, in queue mode. */
  redis?: RedisAddress;
  /** `enforced`, or why they are not. */
  limits: LimitsNotice;
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

/** One pod under test, as a local process tree. */
export interface Instance {
  name: string;
  component: Component;
  /** Process id of the container's first process; undefined while it is down. */
  pid(): number | undefined;
  /** n8n's own metrics, where it has them. */
  metricsUrl?: string;
  /** The limits that the chart gives it. */
  limits: Limits;
}

export interface Limits {
  /** CPU limit in millicores. */
  cpuMillis?: number;
  /** Memory limit in bytes. */
  memoryBytes?: number;
}

/** Something that must not happen under load. */
export interface InstanceEvent {
  /** Milliseconds since the epoch. */
  at: number;
  instance: string;
  component: Component;
  kind: 'died' | 'restarted' | 'probe-failed' | 'unready' | 'runner-died';
  /** For `died`: which limit or fault it was. */
  reason?: DeathReason;
  detail: string;
}

export type DeathReason = 'OOMKilled' | 'V8HeapLimit' | 'LivenessProbe' | 'Crash';
