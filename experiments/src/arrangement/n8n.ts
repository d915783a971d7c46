import { mkdir } from 'node:fs/promises';
import { UsageError, type Deployment, type DeploymentHooks, type Launch } from 'n8n-capacity';
import { checkArrangement, countProcessTrees, type ArrangedProcesses } from './arrangement.js';
import { withRequestCounter } from './counts.js';
import { arrangeDeployment } from './front.js';
import { n8nPm2Launch } from './pm2.js';
import { clusterLaunch } from './shared-port.js';

/**
 * The hooks for `processProvisioner` that put n8n's webhook processors into an arrangement. `webhook.replicas` must be the
 * number of process trees: 1 if the processes share a port, else the number of processes.
 *
 * On a shared port all processes of a pod share its limits, and its executions are not counted.
 * @throws UsageError when the arrangement is not possible here
 */
export function n8nArrangementHooks(arranged: ArrangedProcesses): Required<Pick<DeploymentHooks, 'adapt' | 'front'>> {
  checkArrangement(arranged);
  return {
    async adapt(launch, pod, objects) {
      if (pod.component !== 'webhook') return launch;
      await mkdir(arranged.counts, { recursive: true });
      const arrangedLaunch = await adaptLaunch(arranged, launch, pod, objects);
      return { ...arrangedLaunch, environment: withRequestCounter(arrangedLaunch.environment, arranged.counts) };
    },
    async front(deployment, progress, logs) {
      const wrong = replicaMismatch(deployment, arranged);
      if (wrong === undefined) return arrangeDeployment(arranged, deployment, progress, logs);
      await deployment.teardown();
      throw new UsageError(wrong);
    },
  };
}

const adaptLaunch = async (
  { arrangement, processes }: ArrangedProcesses,
  ...[launch, pod, objects]: Parameters<Required<DeploymentHooks>['adapt']>
): Promise<Launch> => {
  if (arrangement === 'cluster') return clusterLaunch(launch, processes);
  return arrangement === 'pm2' ? n8nPm2Launch(launch, pod, objects, processes) : launch;
};

/** The error if the number of webhook processors does not fit the arrangement; undefined if it does. */
function replicaMismatch({ record: { instances } }: Deployment, arranged: ArrangedProcesses): string | undefined {
  const found = instances.filter(({ component }) => component === 'webhook').length;
  const wanted = countProcessTrees(arranged);
  if (found === wanted) return undefined;
  return `webhook.replicas: the values give ${found} webhook processors, but ${arranged.processes} processes in the arrangement "${arranged.arrangement}" need ${wanted}.`;
}
