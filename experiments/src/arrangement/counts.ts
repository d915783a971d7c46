import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { get } from 'node:http';
import { isAlive, UsageError, waitUntil, type Deployment, type Progress } from 'n8n-capacity';
import { controlFolder } from '../paths.js';
import type { ArrangedProcesses } from './arrangement.js';

const COUNTER_SCRIPT = join(controlFolder, 'count-requests.cjs');

/**
 * Extends the environment of a Node process so that it counts the requests below /webhook/ that it serves.
 * @param folder existing folder in which the process writes its count
 */
export function withRequestCounter(environment: Record<string, string>, folder: string): Record<string, string> {
  // The path may contain spaces. Node accepts quotes in NODE_OPTIONS.
  const preload = `--require ${JSON.stringify(COUNTER_SCRIPT)}`;
  const { NODE_OPTIONS: given } = environment;
  return { ...environment, NODE_OPTIONS: given ? `${given} ${preload}` : preload, COUNT_FOLDER: folder };
}

/**
 * Requests below /webhook/ that each process has served since it started, by process id. Counts are at most half a second old.
 * A process is included after its first request to any path, and stays included after it has ended.
 */
export async function readCounts(folder: string): Promise<Map<number, number>> {
  const pids = (await readdir(folder)).filter((name) => /^\d+$/.test(name));
  const counts = pids.map(async (pid) => [Number(pid), Number(await readFile(join(folder, pid), 'utf8'))] as const);
  return new Map(await Promise.all(counts));
}

/** Seconds within which every process must serve. */
const SERVING_SECONDS = 180;

/**
 * Waits until all processes of the deployment serve, now and after each later `ready()`. k6 keeps its connections, so a process
 * that joins a shared port later would get none of them.
 * @throws UsageError when a process does not serve in time
 */
export async function waitForAllProcesses(
  deployment: Deployment,
  arranged: ArrangedProcesses,
  { signal }: Progress,
): Promise<Deployment> {
  const { endpoints } = deployment.access;
  await requestUntilAllServe(endpoints, arranged, signal);
  return {
    ...deployment,
    async ready() {
      const died = await deployment.ready();
      await requestUntilAllServe(endpoints, arranged, signal);
      return died;
    },
  };
}

/**
 * Sends requests until every process has begun to count. Each request opens a new connection, which reaches the next process.
 * @throws UsageError when a process does not serve in time
 */
async function requestUntilAllServe(
  urls: string[],
  { processes, counts }: ArrangedProcesses,
  signal: AbortSignal,
): Promise<void> {
  let serving = 0;
  const requestEachUrl = async () => {
    serving = [...(await readCounts(counts)).keys()].filter(isAlive).length;
    if (serving >= processes) return true;
    await Promise.all(urls.map(requestHealth));
    return false;
  };
  if (!(await waitUntil(requestEachUrl, { seconds: SERVING_SECONDS, everyMs: 100, signal })))
    throw new UsageError(
      `only ${serving} of ${processes} processes serve after ${SERVING_SECONDS} s; see the logs beside the record.`,
    );
}

function requestHealth(url: string): Promise<void> {
  return new Promise((resolve) => {
    const request = get(`${url}/healthz`, { agent: false, timeout: 2000 }, (response) => response.resume());
    request.on('timeout', () => request.destroy());
    request.on('error', () => {}); // the server may not be up yet; the caller asks again
    request.on('close', resolve);
  });
}
