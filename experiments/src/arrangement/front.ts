import type { Deployment, Progress } from 'n8n-capacity';
import type { ArrangedProcesses } from './arrangement.js';
import { waitForAllProcesses } from './counts.js';
import { deployBehindIptables } from './iptables.js';
import { deployBehindNginx } from './nginx.js';

/**
 * Waits until all processes serve, and starts the balancer of the arrangement, if it has one. The endpoints are then behind one
 * URL. The balancer stops with the deployment.
 * @param logs folder for the balancer's log
 * @throws UsageError when a process does not serve or the balancer does not start; the deployment is torn down first
 */
export async function arrangeDeployment(
  arranged: ArrangedProcesses,
  deployment: Deployment,
  progress: Progress,
  logs: string,
): Promise<Deployment> {
  try {
    const serving = await waitForAllProcesses(deployment, arranged, progress);
    if (arranged.arrangement === 'nginx') return await deployBehindNginx(serving, progress, logs);
    if (arranged.arrangement === 'iptables') return await deployBehindIptables(serving, progress);
    return serving;
  } catch (error) {
    await deployment.teardown();
    throw error;
  }
}
