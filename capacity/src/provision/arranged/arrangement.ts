/**
 * The ways to serve one webhook with several processes.
 *
 * - `one`: a single process, which the others are held against
 * - `turns`: processes on ports of their own, to which k6 sends its requests in turn
 * - `cluster`: Node's cluster, whose primary process hands out connections on one port
 * - `pm2`: PM2 in cluster mode, which does the same
 * - `nginx`: processes on ports of their own behind nginx, which hands out requests in turn
 * - `iptables`: the same behind rules of the kernel, which hand out connections in turn
 */
export const ARRANGEMENTS = ['one', 'turns', 'cluster', 'pm2', 'nginx', 'iptables'] as const;
export type Arrangement = (typeof ARRANGEMENTS)[number];

/** Processes in an arrangement. */
export interface Arranged {
  arrangement: Arrangement;
  /** How many serve; 1 in `one`. */
  processes: number;
  /** Folder in which each process keeps its count of requests, see `readCounts`. */
  counts: string;
}

/** Whether one launch becomes all the processes, as children that share its port. */
export const isShared = ({ arrangement }: Pick<Arranged, 'arrangement'>): boolean =>
  arrangement === 'cluster' || arrangement === 'pm2';

/** How many process trees are started: one where the processes share a port, else one a process. */
export const treesOf = (arranged: Pick<Arranged, 'arrangement' | 'processes'>): number =>
  isShared(arranged) ? 1 : arranged.processes;
