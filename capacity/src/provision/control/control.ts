import { treesOf, type Arranged } from '../arranged/arrangement.js';

/** A control server of experiments/control/. */
export type ControlServer = 'bare' | 'express';

/** Which control server is deployed, and how. */
export interface Control extends Arranged {
  server: ControlServer;
}

/** What is supervised: one process tree where the processes share a port, else one a process. */
export const namesOf = (control: Control): string[] =>
  Array.from({ length: treesOf(control) }, (_, i) => `${control.server}-${i}`);
