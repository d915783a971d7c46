import { availableParallelism } from 'node:os';
import { execa } from 'execa';

/** Which cores k6 has, and which everything else, as `taskset -c` takes them. */
export interface Cores {
  k6: string;
  others: string;
}

/** With fewer, what is measured would be left with one. */
const ENOUGH = 4;
/** Tells a cell that runs in a process of its own what the command before it has decided. */
const DECIDED = 'N8N_TUNED_CORES';

/** A quarter of the cores for k6, the first ones; undefined where there are too few to share them out. */
export function coresFor(allowed: number[]): Cores | undefined {
  if (allowed.length < ENOUGH) return undefined;
  const own = Math.floor(allowed.length / 4);
  return { k6: allowed.slice(0, own).join(','), others: allowed.slice(own).join(',') };
}

/**
 * Keeps this process, and all that it starts from now on, off the cores of k6, where there are enough.
 * @returns what was decided; undefined where everything shares all cores
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

/** The cores that this process may use; undefined where nothing says (no `taskset`, as on macOS). */
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
    : `k6 and all that it drove shared ${count} ${count === 1 ? 'core' : 'cores'}: what k6 used, n8n did not get`;
