/** The ways to serve one webhook with several processes: on one port, or each on its own behind what hands out in turn. */
export const ARRANGEMENTS = [
  'one', // a single process, which the others are held against
  'turns', // k6 itself hands out requests
  'cluster', // one port; the primary of Node's cluster hands out connections
  'pm2', // one port; PM2 in cluster mode does the same
  'nginx', // requests
  'iptables', // connections, by rules of the kernel
] as const;
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
