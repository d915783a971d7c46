import { UsageError } from 'n8n-capacity';
import { isInOwnNetwork } from './network.js';

/** How several processes serve one webhook: they share one port, or each has its own port behind a balancer. */
export const ARRANGEMENTS = [
  'one', // a single process, the baseline
  'turns', // k6 distributes requests round-robin
  'cluster', // one port; the primary process of Node's cluster distributes connections
  'pm2', // one port; PM2 in cluster mode distributes connections
  'nginx', // nginx distributes requests
  'iptables', // kernel rules distribute connections
] as const;
export type Arrangement = (typeof ARRANGEMENTS)[number];

/** Processes in an arrangement. */
export interface ArrangedProcesses {
  arrangement: Arrangement;
  /** Number of serving processes; 1 in `one`. */
  processes: number;
  /** Folder in which each process writes its request count; see `readCounts`. */
  counts: string;
}

/** Whether one launch starts all processes, as children that share its port. */
export const hasSharedPort = ({ arrangement }: Pick<ArrangedProcesses, 'arrangement'>): boolean =>
  arrangement === 'cluster' || arrangement === 'pm2';

/** Number of process trees to start: one if the processes share a port, else one per process. */
export const countProcessTrees = (arranged: Pick<ArrangedProcesses, 'arrangement' | 'processes'>): number =>
  hasSharedPort(arranged) ? 1 : arranged.processes;

const MAX_PROCESSES = 99;

/**
 * Refuses an impossible arrangement before anything starts.
 * @throws UsageError when the number of processes is out of range, or iptables would run outside a network namespace
 */
export function checkArrangement({ arrangement, processes }: ArrangedProcesses): void {
  const most = arrangement === 'one' ? 1 : MAX_PROCESSES;
  if (!Number.isInteger(processes) || processes < 1 || processes > most)
    throw new UsageError(
      `${processes} processes: not possible in the arrangement "${arrangement}"; give ${most === 1 ? '1' : `1 to ${most}`}.`,
    );
  if (arrangement === 'iptables' && !isInOwnNetwork())
    throw new UsageError(
      'the arrangement "iptables" changes network rules, so it runs only in a network namespace that n8n-experiment has made; choose another arrangement.',
    );
}
