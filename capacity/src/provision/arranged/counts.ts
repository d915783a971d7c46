import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { experimentsFolder } from '../../core/paths.js';

const PRELOADED = join(experimentsFolder, 'control', 'count-requests.cjs');

/**
 * The environment with which a process of Node counts the requests below /webhook/ that it serves, from its start on.
 * @param folder where it keeps its count; it must exist
 */
export function counting(environment: Record<string, string>, folder: string): Record<string, string> {
  // In quotes, as Node reads them there: the path may hold spaces.
  const preload = `--require ${JSON.stringify(PRELOADED)}`;
  const { NODE_OPTIONS: given } = environment;
  return { ...environment, NODE_OPTIONS: given ? `${given} ${preload}` : preload, COUNT_FOLDER: folder };
}

/**
 * Requests below /webhook/ that each process has served since it started, by process id; at most half a second old. A
 * process is there from its first request of any path on, and stays when it has ended.
 */
export async function readCounts(folder: string): Promise<Map<number, number>> {
  const pids = (await readdir(folder)).filter((name) => /^\d+$/.test(name));
  const counts = pids.map(async (pid) => [Number(pid), Number(await readFile(join(folder, pid), 'utf8'))] as const);
  return new Map(await Promise.all(counts));
}
