import type { Progress } from '../../core/progress.js';
import type { Deployment } from '../../model/deployment.js';
import type { Arranged } from './arrangement.js';
import { behindIptables } from './iptables.js';
import { behindNginx } from './nginx.js';

/**
 * The deployment with its endpoints behind one URL, where the arrangement has a balancer; else as it is. The balancer ends
 * with it.
 * @throws UsageError when the balancer does not come up; the deployment is then as it was
 */
export function behindBalancer(
  { arrangement }: Arranged,
  deployment: Deployment,
  progress: Progress,
  logs: string,
): Promise<Deployment> {
  if (arrangement === 'nginx') return behindNginx(deployment, progress, logs);
  if (arrangement === 'iptables') return behindIptables(deployment, progress);
  return Promise.resolve(deployment);
}
