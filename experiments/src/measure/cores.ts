import { availableParallelism } from 'node:os';
import { execa } from 'execa';

/** Which cores k6 has, and which everything else, as `taskset -c` takes them. */
export interface Cores {
  k6: string;
  others: string;
}

/** With fewer, the deployment would be left with one. */
const ENOUGH = 4;
/** Passes the decision on to cells that run in a process of their own. */
const DECIDED = 'N8N_TUNED_CORES';

/** The first quarter of the cores for k6; undefined if there are too few to share out. */
export function coresFor(allowed: number[]): Cores | undefined {
  if (allowed.length < ENOUGH) return undefined;
  const own = Math.floor(allowed.length / 4);
  return { k6: allowed.slice(0, own).join(','), others: allowed.slice(own).join(',') };
}

/**
 * Keeps this process, and every process that it starts from now on, off k6's cores, if there are enough cores.
 * @returns the decision; undefined if everything shares all cores
 */
export async function shareOutCores(): Promise<Cores | undefined> {
  const decided = process.env[DECIDED];
  if (decided !== undefined) return (JSON.parse(decided) as { cores?: Cores }).cores;
  const allowed = await allowedCores();
  const cores = allowed && coresFor(allowed);
  process.env[DECIDED] = JSON.stringify({ cores });
  if (cores) await execa('taskset', ['-acp', cores.others, String(process.pid)], { stdin: 'ignore' });
  return cores;
}

/** The cores that this process may use; undefined if unknown (without `taskset`, as on macOS). */
async function allowedCores(): Promise<number[] | undefined> {
  const { stdout, failed } = await execa('taskset', ['-cp', String(process.pid)], { reject: false, stdin: 'ignore' });
  const list = failed ? undefined : /: ([\d,-]+)\s*$/.exec(stdout)?.[1];
  return list?.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
}

/** For the record. */
export const sharingOf = (cores: Cores | undefined, count = availableParallelism()): string =>
  cores
    ? `k6 had the cores ${cores.k6}, everything else on this machine the cores ${cores.others}`
    : `k6 and the deployment shared ${count} ${count === 1 ? 'core' : 'cores'}`;
