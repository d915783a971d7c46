import { availableParallelism } from 'node:os';
import { execa } from 'execa';
import { coresOf } from 'n8n-capacity';

/** Which cores k6 has, and which everything else, as `taskset -c` takes them. */
export interface Cores {
  k6: string;
  others: string;
}

/** With fewer, the deployment would be left with one: only where k6 would take what it measures (`apart`). */
const ENOUGH = 4;
const ENOUGH_APART = 2;
/** Passes the decision on to cells that run in a process of their own. */
const DECIDED = 'N8N_TUNED_CORES';

/** A quarter of the cores for k6, one at least; undefined if there are too few to share out. */
export function coresFor(allowed: number[], apart = false): Cores | undefined {
  if (allowed.length < (apart ? ENOUGH_APART : ENOUGH)) return undefined;
  const own = Math.max(1, Math.floor(allowed.length / 4));
  return { k6: allowed.slice(0, own).join(','), others: allowed.slice(own).join(',') };
}

/** The cores that this process had at first; undefined before they are shared out. */
let all: number[] | undefined;

/**
 * Keeps this process, and every process that it starts from now on, off k6's cores, if there are enough cores.
 * @param apart whether two are enough
 * @returns the decision; undefined if everything shares all cores
 */
export async function shareOutCores(apart = false): Promise<Cores | undefined> {
  const decided = process.env[DECIDED];
  if (!all && decided !== undefined) return (JSON.parse(decided) as { cores?: Cores }).cores;
  all ??= await allowedCores();
  if (!all) return undefined;
  const cores = coresFor(all, apart);
  process.env[DECIDED] = JSON.stringify({ cores });
  await execa('taskset', ['-acp', cores?.others ?? all.join(','), String(process.pid)], { stdin: 'ignore' });
  return cores;
}

/** The cores that this process may use; undefined if unknown (without `taskset`, as on macOS). */
async function allowedCores(): Promise<number[] | undefined> {
  const { stdout, failed } = await execa('taskset', ['-cp', String(process.pid)], { reject: false, stdin: 'ignore' });
  const list = failed ? undefined : /: ([\d,-]+)\s*$/.exec(stdout)?.[1];
  return list === undefined ? undefined : [...coresOf(list)];
}

/** For the record. */
export const sharingOf = (cores: Cores | undefined, count = availableParallelism()): string =>
  cores
    ? `k6 had the cores ${cores.k6}, everything else on this machine the cores ${cores.others}`
    : `k6 and the deployment shared ${count} ${count === 1 ? 'core' : 'cores'}`;
