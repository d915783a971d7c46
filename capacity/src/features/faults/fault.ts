import type { FaultInjector } from '../../model/deployment.js';
import type { Component } from '../../model/events.js';
import type { ProvisionerName } from '../../model/run.js';
import type { SmallDisk } from './small-disk.js';

/** What a fault is done with. */
export interface Harm {
  injector: FaultInjector;
  /** The disk of PostgreSQL, for a fault that asks for a small one. */
  disk?: SmallDisk;
  /** Aborted when the user ends the run; a fault then undoes what it did and throws. */
  signal: AbortSignal;
}

/** A fault that can be tried. */
export interface Fault {
  /** What happens, for a table and the help. */
  title: string;
  /** The components that it needs, and how many of each. */
  needs: Partial<Record<Component, number>>;
  /** About how long the fault takes, in seconds. The load continues meanwhile. */
  seconds: (instances: number) => number;
  /** Factor of the capacity that is sent meanwhile; undefined: the load stays as it is. */
  overload?: number;
  /** Whether a surge just before the fault exceeds n8n's concurrency, so that executions wait in the queue. */
  fillsQueue?: true;
  /** The only provisioner that can have the fault, and why; undefined: each can. */
  only?: { provisioner: ProvisionerName; because: string };
  /** Whether PostgreSQL gets a small disk of its own. */
  smallDisk?: true;
  /**
   * Does it, and resolves once it is over; what recovers by itself may still recover.
   * @returns what shows that it happened; undefined where nothing does
   */
  inject: (harm: Harm) => Promise<string | undefined>;
}
