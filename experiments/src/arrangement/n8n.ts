import { mkdir } from 'node:fs/promises';
import { UsageError, type Deployment, type DeploymentHooks, type Launch } from 'n8n-capacity';
import { checkArranged, treesOf, type Arranged } from './arrangement.js';
import { counting } from './counts.js';
import { inArrangement } from './front.js';
import { n8nUnderPm2 } from './pm2.js';
import { inCluster } from './shared-port.js';

/**
 * The hooks for `processProvisioner` that put n8n's webhook processors into an arrangement. `webhook.replicas` must be the
 * number of process trees: 1 if the processes share a port, else the number of processes.
 *
 * On a shared port all processes of a pod share its limits, and its executions are not counted.
 * @throws UsageError when the arrangement is not possible here
 */
export function arrangedN8n(arranged: Arranged): Required<Pick<DeploymentHooks, 'adapt' | 'front'>> {
  checkArranged(arranged);
  return {
    async adapt(launch, pod, objects) {
      if (pod.component !== 'webhook') return launch;
      await mkdir(arranged.counts, { recursive: true });
      const arrangedLaunch = await launchIn(arranged, launch, pod, objects);
      return { ...arrangedLaunch, environment: counting(arrangedLaunch.environment, arranged.counts) };
    },
    async front(deployment, progress, logs) {
      const wrong = wrongTrees(deployment, arranged);
      if (wrong === undefined) return inArrangement(arranged, deployment, progress, logs);
      await deployment.teardown();
      throw new UsageError(wrong);
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

/** The error if the number of webhook processors does not fit the arrangement; undefined if it does. */
function wrongTrees({ record: { instances } }: Deployment, arranged: Arranged): string | undefined {
  const found = instances.filter(({ component }) => component === 'webhook').length;
  const wanted = treesOf(arranged);
  if (found === wanted) return undefined;
  return `webhook.replicas: the values give ${found} webhook processors, but ${arranged.processes} processes in the arrangement "${arranged.arrangement}" need ${wanted}.`;
}
