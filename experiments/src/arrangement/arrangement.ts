import { UsageError } from 'n8n-capacity';
import { isOwnNetwork } from './network.js';

/** How several processes serve one webhook: on one port, or each on its own port behind a balancer. */
export const ARRANGEMENTS = [
  'one', // a single process, the baseline
  'turns', // k6 itself distributes requests round-robin
  'cluster', // one port; the primary of Node's cluster distributes connections
  'pm2', // one port; PM2 in cluster mode does the same
  'nginx', // distributes requests
  'iptables', // rules of the kernel distribute connections
] as const;
export type Arrangement = (typeof ARRANGEMENTS)[number];

/** Processes in an arrangement. */
export interface Arranged {
  arrangement: Arrangement;
  /** How many processes serve; 1 in `one`. */
  processes: number;
  /** Folder in which each process keeps its count of requests, see `readCounts`. */
  counts: string;
}

/** Whether one launch becomes all processes, as children that share its port. */
export const isShared = ({ arrangement }: Pick<Arranged, 'arrangement'>): boolean =>
  arrangement === 'cluster' || arrangement === 'pm2';

/** How many process trees are started: one if the processes share a port, else one for each process. */
export const treesOf = (arranged: Pick<Arranged, 'arrangement' | 'processes'>): number =>
  isShared(arranged) ? 1 : arranged.processes;

const MOST_PROCESSES = 99;

/**
 * Refuses an arrangement that is known to be impossible, before anything is started.
 * @throws UsageError
 */
export function checkArranged({ arrangement, processes }: Arranged): void {
  const most = arrangement === 'one' ? 1 : MOST_PROCESSES;
  if (!Number.isInteger(processes) || processes < 1 || processes > most)
    throw new UsageError(
      `${processes} processes: not possible in the arrangement "${arrangement}"; give ${most === 1 ? '1' : `1 to ${most}`}.`,
    );
  if (arrangement === 'iptables' && !isOwnNetwork())
    throw new UsageError(
      'the arrangement "iptables" changes network rules, so it runs only in a network namespace that n8n-experiment has made; choose another arrangement.',
    );
}
