import type { Deployment, Progress } from 'n8n-capacity';
import type { Arranged } from './arrangement.js';
import { onceAllServe } from './counts.js';
import { behindIptables } from './iptables.js';
import { behindNginx } from './nginx.js';

/**
 * The deployment once all its processes serve, its endpoints behind one URL where the arrangement has a balancer. The
 * balancer ends with the deployment.
 * @param logs folder for what a balancer prints
 * @throws UsageError when a process does not serve, or the balancer does not start; the deployment has ended then
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
