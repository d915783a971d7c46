import type { Deployment, Progress } from 'n8n-capacity';
import type { Arranged } from './arrangement.js';
import { onceAllServe } from './counts.js';
import { behindIptables } from './iptables.js';
import { behindNginx } from './nginx.js';

/**
 * Waits until all processes serve, and starts the balancer of the arrangement, if it has one. The endpoints are then behind one
 * URL. The balancer stops with the deployment.
 * @param logs folder for the balancer's log
 * @throws UsageError when a process does not serve or the balancer does not start; the deployment is torn down first
 */
export async function inArrangement(
  arranged: Arranged,
  deployment: Deployment,
  progress: Progress,
  logs: string,
): Promise<Deployment> {
  try {
    const serving = await onceAllServe(deployment, arranged, progress);
    if (arranged.arrangement === 'nginx') return await behindNginx(serving, progress, logs);
    if (arranged.arrangement === 'iptables') return await behindIptables(serving, progress);
    return serving;
  } catch (error) {
    await deployment.teardown();
    throw error;
  }
}
