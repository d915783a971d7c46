import { Agent, get } from 'node:http';
import { LOOPBACK } from '../../../capacity/src/core/loopback.js';
import { TOKEN } from './deployment.js';

/** One request: the time it was sent, and its outcome. */
export interface Sent {
  at: number;
  ms: number;
  /** HTTP status, or the code of the error. */
  outcome: number | string;
}

/**
 * Sends requests at a rate on connections that are kept open. A failed request is not repeated.
 * @returns a function that stops the load, and resolves with all requests when the last is answered
 */
export function startLoad(port: number, path: string, perSecond: number): () => Promise<Sent[]> {
  const agent = new Agent({ keepAlive: true });
  const sent: Promise<Sent>[] = [];
  const timer = setInterval(() => sent.push(sendRequest(agent, port, path)), 1000 / perSecond);
  return async () => {
    clearInterval(timer);
    const all = await Promise.all(sent);
    agent.destroy();
    return all;
  };
}

/** Sends this number of requests at the same time, each on its own connection. */
export async function sendTogether(port: number, path: string, requests: number): Promise<Sent[]> {
  const agent = new Agent();
  return Promise.all(Array.from({ length: requests }, () => sendRequest(agent, port, path)));
}

function sendRequest(agent: Agent, port: number, path: string): Promise<Sent> {
  const at = Date.now();
  return new Promise((resolve) => {
    const end = (outcome: number | string) => resolve({ at, ms: Date.now() - at, outcome });
    const options = { agent, host: LOOPBACK, port, path, headers: { 'x-load-target-token': TOKEN }, timeout: 60_000 };
    const sent = get(options, (response) => {
      response.resume();
      response.once('end', () => end(response.statusCode!));
      response.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer in 60 s')));
    sent.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}

/** Effect of a reload on the clients. */
export interface Cost {
  requests: number;
  failed: number;
  /** Number of failed requests by status or error code. */
  failures: Record<string, number>;
  /** Seconds from the first failed request to the last, by the time they were sent. */
  outageSeconds: number;
  p50Ms: number;
  maxMs: number;
  /** Seconds that `pm2 reload` took. */
  reloadSeconds: number;
}

export function computeReloadCost(sent: Sent[], reloadSeconds: number): Cost {
  const failed = sent.filter(({ outcome }) => outcome !== 200);
  const times = sent.map(({ ms }) => ms).sort((a, b) => a - b);
  const failures: Record<string, number> = {};
  for (const { outcome } of failed) failures[outcome] = (failures[outcome] ?? 0) + 1;
  const round = (seconds: number) => Math.round(seconds * 10) / 10;
  return {
    requests: sent.length,
    failed: failed.length,
    failures,
    outageSeconds: failed.length === 0 ? 0 : round((failed.at(-1)!.at - failed[0]!.at) / 1000),
    p50Ms: times[Math.floor(times.length / 2)] ?? 0,
    maxMs: times.at(-1) ?? 0,
    reloadSeconds: round(reloadSeconds),
  };
}
