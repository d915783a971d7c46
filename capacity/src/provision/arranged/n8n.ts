import { UsageError } from '../../core/errors.js';
import { mkdir } from 'node:fs/promises';
import type { Progress } from '../../core/progress.js';
import type { Deployment } from '../../model/deployment.js';
import type { DeploymentHooks } from '../process/process-provisioner.js';
import type { Launch } from '../process/supervise.js';
import { treesOf, type Arranged } from './arrangement.js';
import { behindBalancer } from './balancer.js';
import { checkArranged } from './check.js';
import { counting } from './counts.js';
import { n8nUnderPm2 } from './n8n-under-pm2.js';
import { onceAllServe } from './serving.js';
import { inCluster } from './shared-port.js';

/**
 * n8n's webhook processors in an arrangement, for `processProvisioner`. The values must ask for as many replicas of them as
 * there are process trees: one where the processes share a port, else all.
 *
 * On a shared port a pod's limits hold for all its processes together, and its executions are not counted.
 * @throws UsageError when the arrangement is not possible here
 */
export function arrangedN8n(arranged: Arranged): Required<DeploymentHooks> {
  checkArranged(arranged);
  return {
    async adapt(launch, pod, objects) {
      if (pod.component !== 'webhook') return launch;
      await mkdir(arranged.counts, { recursive: true });
      const arrangedLaunch = await launchIn(arranged, launch, pod, objects);
      return { ...arrangedLaunch, environment: counting(arrangedLaunch.environment, arranged.counts) };
    },
    async front(deployment: Deployment, progress: Progress, logs: string) {
      try {
        requireTrees(deployment, arranged);
        const serving = await onceAllServe(deployment, arranged, progress);
        return await behindBalancer(arranged, serving, progress, logs);
      } catch (error) {
        await deployment.teardown();
        throw error;
      }
    },
  };
}

const launchIn = async (
  { arrangement, processes }: Arranged,
  ...[launch, pod, objects]: Parameters<Required<DeploymentHooks>['adapt']>
): Promise<Launch> => {
  if (arrangement === 'cluster') return inCluster(launch, processes);
  return arrangement === 'pm2' ? n8nUnderPm2(launch, pod, objects, processes) : launch;
};

function requireTrees({ record: { instances } }: Deployment, arranged: Arranged): void {
  const found = instances.filter(({ component }) => component === 'webhook').length;
  const wanted = treesOf(arranged);
  if (found !== wanted)
    throw new UsageError(
      `webhook.replicas: the values give ${found} webhook processors; ${arranged.processes} in the arrangement ${arranged.arrangement} need ${wanted}.`,
    );
}
