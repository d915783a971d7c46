import { listening } from '../listening.js';
import { status } from '../webhook.js';
import type { Generator } from '../../model/generator.js';
import { EnvironmentFault } from '../../core/errors.js';
import { waitUntil } from '../../core/wait-until.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa, type ResultPromise } from 'execa';
import getPort from 'get-port';
import { WHILE_STDIN_IS_OPEN } from './api-proxy.js';
import type { Cluster } from './cluster.js';
import { N8N_PORT } from './release.js';

const START_SECONDS = 15;
const NEVER = new AbortController().signal;
/** Pause before forwarding again: a forwarding ends when its pod's container does. */
const AGAIN_MS = 500;

/** Ports of this machine that the API server forwards to pods. */
export class Forwarding {
  private readonly children = new Set<ResultPromise>();
  private closed = false;
  readonly endpoints: string[] = [];

  constructor(
    private readonly cluster: Cluster,
    private readonly namespace: string,
  ) {}

  /** @throws EnvironmentFault when a pod cannot be reached */
  async open(pods: string[]): Promise<void> {
    for (const pod of pods) {
      const port = await this.portTo(pod, N8N_PORT);
      const endpoint = `http://127.0.0.1:${port}`;
      await reachable(endpoint, pod);
      this.endpoints.push(endpoint);
    }
  }

  /**
   * Forwards a port of this machine to a port of a pod, also after the pod's container has been replaced.
   * @throws EnvironmentFault when kubectl does not forward it
   */
  async portTo(pod: string, target: number): Promise<number> {
    const port = await getPort({ host: '127.0.0.1' });
    void this.forward(pod, port, target);
    await listening(port, START_SECONDS, NEVER);
    return port;
  }

  close(): void {
    this.closed = true;
    for (const child of this.children) child.stdin?.destroy();
  }

  private async forward(pod: string, port: number, target: number): Promise<void> {
    const args = [
      'port-forward',
      '--namespace',
      this.namespace,
      '--address=127.0.0.1',
      `pod/${pod}`,
      `${port}:${target}`,
    ];
    while (!this.closed) {
      const child = execa('sh', ['-c', WHILE_STDIN_IS_OPEN, 'sh', 'kubectl', ...this.cluster.arguments(args)], {
        stdin: 'pipe',
        stdout: 'ignore',
        stderr: 'ignore',
        reject: false,
        detached: true,
      });
      this.children.add(child);
      await child;
      this.children.delete(child);
      await sleep(AGAIN_MS);
    }
  }
}

/** k6 of this machine; its records say that requests were forwarded. */
export const forwarded = (k6: Generator): Generator => ({
  ...k6,
  start: (step) => {
    const run = k6.start(step);
    return { ...run, finished: run.finished.then((end) => ({ ...end, place: 'forwarded' as const })) };
  },
});

async function reachable(endpoint: string, pod: string): Promise<void> {
  const answers = async () => (await status(`${endpoint}/healthz`)) !== undefined;
  if (!(await waitUntil(answers, { seconds: START_SECONDS, everyMs: 200 })))
    throw new EnvironmentFault(`kubectl port-forward does not reach ${pod} from this machine; omit --generator local.`);
}
