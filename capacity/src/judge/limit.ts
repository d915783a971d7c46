import type { Component, InstanceEvent } from '../model/events.js';

/** What can limit a deployment. `task-runner`, `probe` and `crash` are only ever seen as the end of a process. */
export type Limit =
  | 'main-cpu'
  | 'worker-cpu'
  | 'webhook-cpu'
  | 'database'
  | 'database-connections'
  | 'redis'
  | 'slots'
  | 'event-loop'
  | 'memory'
  | 'heap'
  | 'generator'
  | 'task-runner'
  | 'probe'
  | 'crash';

/** Something that may limit a step, with what was measured of it. */
export interface LimitCandidate {
  limit: Limit;
  /** Whose limit it is; absent for slots, the generator, and what is PostgreSQL's as a whole. */
  instance?: string;
  component?: Component;
  /** What was seen, with its numbers: a clause without a full stop. */
  evidence: string;
  /** How much of the limit was used, 0 to 1. */
  share: number;
  /** The limit counts as reached. */
  reached: boolean;
  /** Set where the limit ended a process or took it out of service. */
  event?: InstanceEvent;
}
