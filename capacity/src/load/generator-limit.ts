import { LOOPBACK } from '../core/loopback.js';
import type { Generator } from '../model/generator.js';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadPlan } from '../model/plan.js';
import type { Progress } from '../core/progress.js';

/** Milliseconds from the first request that are not counted: k6 opens its connections then. */
const DISCARDED_MS = 1000;
const SECONDS = 4;
/** Clients in the closed loop: more than a laptop or a CI runner has cores, so that a request is always due. */
const CLIENTS = 50;

/** The workload with the fastest answer. */
const LOAD: LoadPlan = {
  name: 'generator-limit',
  parts: [{ workload: 'webhook-ack', weight: 1 }],
  serviceSeconds: { 'webhook-ack': 0 },
  executionSeconds: { 'webhook-ack': 0 },
};
/** A correct answer of that workload; k6 checks it as in every step. */
const ANSWER = JSON.stringify({ operation: 'identify', parameters: {}, tookMs: 0, identity: { pid: process.pid } });

/**
 * Measures how many requests per second this generator reaches on this machine. It runs the script, checks and samples of a
 * real step, in a closed loop against a loopback server that answers at once. The server is one Node process that shares the
 * cores, as the deployment will: on a large machine the result is a lower bound. Takes about 5 s.
 * @throws Error when k6 cannot run or rejects the answers, Interrupted after Ctrl-C
 */
export async function measureGeneratorLimit(generator: Generator, { signal }: Progress): Promise<number> {
  signal.throwIfAborted();
  const counter = new RequestCounter();
  const server = await startAnswerServer(() => counter.add(performance.now()));
  const folder = await mkdtemp(join(tmpdir(), 'n8n-capacity-generator-'));
  const run = generator.start({
    load: LOAD,
    clients: CLIENTS,
    stepSeconds: SECONDS,
    arrivals: { kind: 'even' },
    warmupSeconds: 0,
    timeoutSeconds: 10,
    endpoints: [`http://${LOOPBACK}:${(server.address() as AddressInfo).port}`],
    token: '',
    scriptEnv: {},
    folder,
    csv: 'samples.csv.gz',
  });
  const kill = () => run.kill();
  signal.addEventListener('abort', kill);
  try {
    const { exitCode, stderr } = await run.finished;
    signal.throwIfAborted();
    // Failed thresholds are errors here: after a wrong answer a client pauses.
    if (exitCode !== 0 || counter.rate === undefined)
      throw new Error(`cannot measure the limit of k6 (exit code ${exitCode}): ${stderr.trim()}`);
    return counter.rate;
  } finally {
    signal.removeEventListener('abort', kill);
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures and prints the limit of a generator, and returns the generator with it. */
export async function addMeasuredLimit(generator: Generator, progress: Progress): Promise<Generator> {
  const limit = await progress.during('measuring the limit of the load generator', () =>
    measureGeneratorLimit(generator, progress),
  );
  progress.line(`  k6 reaches ${Math.round(limit)}/s on this machine; steps above half of that are INCONCLUSIVE`);
  return { ...generator, limit };
}

/** Counts requests, beginning one second after the first. */
class RequestCounter {
  private first: number | undefined;
  private last = 0;
  private counted = 0;

  add(now: number): void {
    this.first ??= now;
    if (now - this.first < DISCARDED_MS) return;
    this.last = now;
    this.counted++;
  }

  /** Requests per second; undefined if none was counted. */
  get rate(): number | undefined {
    const counting = this.last - (this.first ?? 0) - DISCARDED_MS;
    return this.counted === 0 || counting <= 0 ? undefined : this.counted / (counting / 1000);
  }
}

async function startAnswerServer(onRequest: () => void): Promise<Server> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(ANSWER) };
  const server = createServer((_, response) => {
    onRequest();
    response.writeHead(200, headers).end(ANSWER);
  });
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  return server;
}
