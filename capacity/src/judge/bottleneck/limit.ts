import type { Component, InstanceEvent } from '../../model/events.js';

/** What can limit a deployment. `task-runner`, `probe` and `crash` only appear as the end of a process. */
export type Limit =
  | 'main-cpu'
  | 'worker-cpu'
  | 'webhook-cpu'
  | 'thread'
  | 'machine-cpu'
  | 'database'
  | 'database-connections'
  | 'redis'
  | 'slots'
  | 'requests'
  | 'event-loop'
  | 'memory'
  | 'heap'
  | 'generator'
  | 'task-runner'
  | 'probe'
  | 'crash';

/** A possible limit of a step, with the evidence. */
export interface LimitCandidate {
  limit: Limit;
  /** Whose limit it is; undefined for slots, the generator, and PostgreSQL as a whole. */
  instance?: string;
  component?: Component;
  /** What was measured, with its numbers: a clause without a full stop. */
  evidence: string;
  /** How much of the limit was used, 0 to 1. */
  share: number;
  /** Whether the limit counts as reached. */
  reached: boolean;
  /** Of `machine-cpu`: other processes had cores that the deployment lacked. */
  disturbed?: boolean;
  /** Set if the limit ended a process or took it out of service. */
  event?: InstanceEvent;
}

/** Each limit as the subject of a sentence. */
export const LIMIT_NAMES: Record<Limit, string> = {
  'main-cpu': "main's CPU",
  'worker-cpu': "the workers' CPU",
  'webhook-cpu': "the webhook processors' CPU",
  thread: 'the JavaScript thread of one process',
  'machine-cpu': 'the cores of this machine',
  database: 'the database',
  'database-connections': 'the connections to the database',
  redis: 'Redis',
  slots: 'the execution slots',
  requests: 'the requests that n8n takes at once',
  'event-loop': 'the event loop',
  memory: 'memory',
  heap: "V8's heap",
  generator: 'the load generator',
  'task-runner': 'the task runner',
  probe: 'a probe',
  crash: 'a crash',
};
