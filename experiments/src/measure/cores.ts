import { availableParallelism } from 'node:os';
import { execa } from 'execa';
import { parseCores } from 'n8n-capacity';

/** The cores of k6 and those of all other processes, in the syntax of `taskset -c`. */
export interface Cores {
  k6: string;
  others: string;
}

/** Cores needed to give k6 its own. With fewer, the deployment would be left with one core. */
const MIN_CORES = 4;
/** Cores needed for a part with `apart`, where k6 would take CPU from what it measures. */
const MIN_CORES_APART = 2;
/** Environment variable that passes the decision on to cells that run in their own process. */
const CORES_VARIABLE = 'N8N_TUNED_CORES';

/** Gives k6 a quarter of the cores, at least one; undefined if there are too few cores. */
export function splitCores(allowed: number[], apart = false): Cores | undefined {
  if (allowed.length < (apart ? MIN_CORES_APART : MIN_CORES)) return undefined;
  const own = Math.max(1, Math.floor(allowed.length / 4));
  return { k6: allowed.slice(0, own).join(','), others: allowed.slice(own).join(',') };
}

/** The cores that this process had initially; undefined until they are read. */
let initialCores: number[] | undefined;

/**
 * Keeps this process and every process that it starts from now on off k6's cores, if there are enough cores.
 * @param apart whether two cores are enough
 * @returns the decision; undefined if all processes share all cores
 */
export async function reserveK6Cores(apart = false): Promise<Cores | undefined> {
  const decided = process.env[CORES_VARIABLE];
  if (!initialCores && decided !== undefined) return (JSON.parse(decided) as { cores?: Cores }).cores;
  initialCores ??= await readAllowedCores();
  if (!initialCores) return undefined;
  const cores = splitCores(initialCores, apart);
  process.env[CORES_VARIABLE] = JSON.stringify({ cores });
  await execa('taskset', ['-acp', cores?.others ?? initialCores.join(','), String(process.pid)], { stdin: 'ignore' });
  return cores;
}

/** The cores that this process may use; undefined without `taskset`, for example on macOS. */
async function readAllowedCores(): Promise<number[] | undefined> {
  const { stdout, failed } = await execa('taskset', ['-cp', String(process.pid)], { reject: false, stdin: 'ignore' });
  const list = failed ? undefined : /: ([\d,-]+)\s*$/.exec(stdout)?.[1];
  return list === undefined ? undefined : [...parseCores(list)];
}

/** Describes for the record which cores k6 had. */
export const describeSharing = (cores: Cores | undefined, count = availableParallelism()): string =>
  cores
    ? `k6 had the cores ${cores.k6}, everything else on this machine the cores ${cores.others}`
    : `k6 and the deployment shared ${count} ${count === 1 ? 'core' : 'cores'}`;
