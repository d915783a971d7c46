import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { get } from 'node:http';
import { isAlive, UsageError, waitUntil, type Deployment, type Progress } from 'n8n-capacity';
import { controlFolder } from '../paths.js';
import type { Arranged } from './arrangement.js';

const PRELOADED = join(controlFolder, 'count-requests.cjs');

/**
 * The environment with which a Node process counts the requests below /webhook/ that it serves.
 * @param folder where it keeps its count; it must exist
 */
export function counting(environment: Record<string, string>, folder: string): Record<string, string> {
  // In quotes, which Node understands in NODE_OPTIONS: the path may contain spaces.
  const preload = `--require ${JSON.stringify(PRELOADED)}`;
  const { NODE_OPTIONS: given } = environment;
  return { ...environment, NODE_OPTIONS: given ? `${given} ${preload}` : preload, COUNT_FOLDER: folder };
}

/**
 * Requests below /webhook/ that each process has served since it started, by process id; at most half a second old. A
 * process is included from its first request of any path on, also after it has ended.
 */
export async function readCounts(folder: string): Promise<Map<number, number>> {
  const pids = (await readdir(folder)).filter((name) => /^\d+$/.test(name));
  const counts = pids.map(async (pid) => [Number(pid), Number(await readFile(join(folder, pid), 'utf8'))] as const);
  return new Map(await Promise.all(counts));
}

/** The time that n8n is given to become ready. */
const SERVING_SECONDS = 180;

/**
 * The deployment, once all its processes serve. k6 keeps its connections, so that a process on a shared port which comes
 * later would get none of them.
 * @throws UsageError when a process does not serve in time
 */
export async function onceAllServe(
  deployment: Deployment,
  arranged: Arranged,
  { signal }: Progress,
): Promise<Deployment> {
  const { endpoints } = deployment.access;
  await allServe(endpoints, arranged, signal);
  return {
    ...deployment,
    async ready() {
      const died = await deployment.ready();
      await allServe(endpoints, arranged, signal);
      return died;
    },
  };
}

/** Each request has a new connection, which reaches the next process, until every process has begun to count. */
async function allServe(urls: string[], { processes, counts }: Arranged, signal: AbortSignal): Promise<void> {
  let serving = 0;
  const askAll = async () => {
    serving = [...(await readCounts(counts)).keys()].filter(isAlive).length;
    if (serving >= processes) return true;
    await Promise.all(urls.map(askOnce));
    return false;
  };
  if (!(await waitUntil(askAll, { seconds: SERVING_SECONDS, everyMs: 100, signal })))
    throw new UsageError(
      `only ${serving} of ${processes} processes serve after ${SERVING_SECONDS} s; the logs beside the record say why.`,
    );
}

function askOnce(url: string): Promise<void> {
  return new Promise((resolve) => {
    const request = get(`${url}/healthz`, { agent: false, timeout: 2000 }, (response) => response.resume());
    request.on('timeout', () => request.destroy());
    request.on('error', () => {}); // the next request may find it up
    request.on('close', resolve);
  });
}
