import { LOOPBACK } from '../../core/loopback.js';
import { UsageError } from '../../core/errors.js';
import { createServer } from 'node:net';
import { refuseServed } from '../../plan/custom-workflow/refusals.js';
import { readCustom } from '../../plan/custom-workflow/load.js';
import type { LoadPlan, Plan, Values } from '../../model/plan.js';
import { findWorkload } from '../../plan/workloads.js';
import type { Progress } from '../../core/progress.js';
import { readVersion } from '../../tools/binary.js';
import { ensureHelm } from '../../tools/programs.js';
import { adoptForeign } from '../../chart/foreign.js';
import { chartVersion, renderChart } from '../../chart/render.js';
import { addAssignments } from '../../chart/values-flags.js';
import type { Deployment, Prepared, Provisioner } from '../../model/deployment.js';
import { introduceCustom } from '../introduce-custom.js';
import { tellOnce } from '../tell-once.js';
import { describeDeployment } from '../../chart/describe.js';
import { provisionProcesses, type ProvisionOptions } from './deploy.js';
import { n8nVersion, type KubernetesObject } from '../../chart/objects.js';
import { containerEnvironment, generateSecrets } from '../../chart/environment.js';
import { refuseSeeding } from '../seed/refuse.js';
import { resolveN8n } from '../../tools/runtimes.js';
import { loadTargets } from '../load-targets.js';
import { listLocalPods } from '../../chart/pods.js';
import { requireOwnServices } from '../../chart/own-services.js';

/** Values that a measurement adds to the user's: executions are counted from n8n's metrics. */
// A local deployment has no Service, so the chart need not refuse its metrics.
const MEASURING = { set: ['metrics.enabled=true', 'metrics.public=true'] };

/** Hooks by which experiments alter the deployment; without them it is what the chart says. */
export interface DeploymentHooks extends Pick<ProvisionOptions, 'adapt'> {
  /** What is imported, and the webhook that shows that n8n serves it, in the place of the plan's loads. */
  driven?: Pick<ProvisionOptions, 'imports' | 'webhook'>;
  /** Puts a balancer between the load and the deployment, or waits for more; ends the deployment before it throws. */
  front?: (deployment: Deployment, progress: Progress, logs: string) => Promise<Deployment>;
}

/** Deploys the chart as processes of this machine, altered by hooks where there are any. */
export const processProvisioner = ({
  adapt,
  driven,
  front = (deployment) => Promise.resolve(deployment),
}: DeploymentHooks = {}): Provisioner => ({
  async prepare(plan: Plan, progress: Progress): Promise<Prepared> {
    refuseServed(plan);
    const helm = await ensureHelm(progress);
    const { objects, notes } = await renderObjects(helm, plan);
    const { asked, version, why } = await resolveN8n(n8nVersion(objects));
    if (why !== undefined) tellOnce([why], progress);
    tellOnce(notes ?? [], progress);
    introduceCustom(plan, progress);
    const measured = why === undefined ? {} : { askedVersion: asked, askedWhy: why };
    refuseSeeding(plan, version);
    requireEnvironments(objects);
    if (plan.port !== undefined) await requireFreePort(plan.port);
    const helmVersion = (await readVersion(helm, ['version', '--short']))?.version;
    return {
      versions: {
        n8n: version,
        ...(!notes && { chart: await chartVersion() }),
        ...(helmVersion && { helm: helmVersion }),
      },
      record: { ...describeDeployment(listLocalPods(objects)), ...measured, ...(notes && { adopted: notes }) },
      deploy: async (logs) => {
        const deployment = await provisionProcesses({
          objects,
          ...(driven ?? drivenBy(plan, version)),
          logs,
          ...(plan.port !== undefined && { port: plan.port }),
          ...(adapt && { adapt }),
          ...(plan.cpuProfile && { profiled: true as const }),
          progress,
        });
        const upgrade = async (values: Values) =>
          deployment.replaceN8n(await renderChart(helm, addAssignments(values, MEASURING)));
        const record = { ...deployment.record, ...measured, ...(notes && { adopted: notes }) };
        return front({ ...deployment, record, upgrade }, progress, logs);
      },
    };
  },
});

export const processes = processProvisioner();

/** What is deployed; of another chart with notes of what is not as it says. */
async function renderObjects(
  helm: string,
  { values, foreign }: Plan,
): Promise<{ objects: KubernetesObject[]; notes?: string[] }> {
  if (foreign) return adoptForeign(helm, foreign, values);
  const objects = await renderChart(helm, addAssignments(values, MEASURING));
  requireOwnServices(objects);
  return { objects };
}

/** Throws UsageError when a variable of a pod has no value outside of a cluster. */
function requireEnvironments(objects: KubernetesObject[]): void {
  const generated = generateSecrets(objects);
  for (const { name, container } of listLocalPods(objects))
    containerEnvironment(container, { objects, generated, podName: name });
}

/** What to import, and the webhook that shows that n8n serves it. */
function drivenBy({ loads }: Plan, version: string): Pick<ProvisionOptions, 'imports' | 'webhook'> {
  const [{ custom, parts }] = loads as [LoadPlan];
  if (custom)
    return {
      imports: () => Promise.resolve(readCustom(custom)),
      webhook: { path: custom.path, method: custom.method },
    };
  const names = [...new Set(loads.flatMap((l) => l.parts.map((p) => p.workload)))];
  return {
    imports: (token) => loadTargets(names, token, version),
    webhook: { path: findWorkload(parts[0]!.workload).path },
  };
}

function requireFreePort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new UsageError(
          `--port ${port}: cannot be used (${error.code === 'EADDRINUSE' ? 'something listens there' : error.code}); choose another one, or omit --port to use a free one.`,
        ),
      ),
    );
    server.listen(port, LOOPBACK, () => server.close(() => resolve()));
  });
}
