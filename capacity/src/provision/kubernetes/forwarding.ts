import { LOOPBACK } from '../../core/loopback.js';
import { listening } from '../listening.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa, type ResultPromise } from 'execa';
import getPort from 'get-port';
import { WHILE_STDIN_IS_OPEN } from './api-proxy.js';
import type { Cluster } from './cluster.js';

const START_SECONDS = 15;
const NEVER = new AbortController().signal;
/** Pause before forwarding again: a forwarding ends when its pod's container does. */
const AGAIN_MS = 500;

/** Ports of this machine that the API server forwards to pods. */
export class Forwarding {
  private readonly children = new Set<ResultPromise>();
  private closed = false;

  constructor(
    private readonly cluster: Cluster,
    private readonly namespace: string,
  ) {}

  /**
   * Forwards a port of this machine to a port of a pod, also after the pod's container has been replaced.
   * @throws EnvironmentFault when kubectl does not forward it
   */
  async portTo(pod: string, target: number): Promise<number> {
    const port = await getPort({ host: LOOPBACK });
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
      `--address=${LOOPBACK}`,
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
