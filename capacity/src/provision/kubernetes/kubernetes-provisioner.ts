import { UsageError } from '../../core/errors.js';
import { ensureHelm } from '../../tools/programs.js';
import { readVersion } from '../../tools/binary.js';
import type { Plan } from '../../model/plan.js';
import type { Progress } from '../../core/progress.js';
import type { Prepared, Provisioner } from '../../model/deployment.js';
import { refuseSeeding } from '../seed/refuse.js';
import { refuseSeedingOutside } from './seed.js';
import { introduceCustom } from '../introduce-custom.js';
import { tellOnce } from '../tell-once.js';
import { describeDeployment } from '../../chart/describe.js';
import { adoptForeign } from '../../chart/foreign.js';
import { mergeIntoRelease, releaseValues } from '../../chart/into-release.js';
import { n8nVersion } from '../../chart/objects.js';
import { listAutoscalers, renderedPods, podRequests } from '../../chart/pods.js';
import { chartVersion } from '../../chart/render.js';
import { renderRelease, type Rendered } from './render-release.js';
import { refuseServed } from '../../plan/custom-workflow/refusals.js';
import { requestFiles } from './request-files.js';
import { Cluster } from './cluster.js';
import { deployOnKubernetes, type DrivenWorkflows } from './deployment.js';
import { requireOperator } from './k6-test-run.js';
import { readRoom, shortOfRoom, type Request, type Room } from './room.js';

/** How to reach the cluster. */
export interface KubernetesChoice {
  /** Context of the kubeconfig; undefined: its current one. */
  context?: string;
  /** Number of k6 pods that share the load; more than one need the k6-operator. */
  generators?: number;
  /** Workflows that are driven in the place of the plan's loads. */
  driven?: DrivenWorkflows;
}

/** The load target imported with a custom workflow; n8n has registered its webhooks once it serves this one. */
const WITNESS = 'webhook-ack';

/** Facts that hold for every configuration of a run. */
interface Facts {
  /** Version of the API server. */
  version: string;
  room: Room | undefined;
}

/** Deploys the chart, or n8n of another one, with helm into a new namespace of a cluster. */
export function kubernetes({ context, generators = 1, driven }: KubernetesChoice = {}): Provisioner {
  const cluster = new Cluster(context);
  let facts: Promise<Facts> | undefined;
  return {
    async prepare(plan: Plan, progress: Progress): Promise<Prepared> {
      if (plan.port !== undefined)
        throw new UsageError('--port: only for local processes; omit it with --provisioner kubernetes.');
      refuseServed(plan);
      introduceCustom(plan, progress);
      const custom = plan.loads[0]?.custom;
      const request = await requestFiles(plan);
      const { version, room } = await (facts ??= readClusterFacts(cluster, generators));
      const helm = await ensureHelm(progress);
      const workflows =
        custom || driven ? [WITNESS] : [...new Set(plan.loads.flatMap((l) => l.parts.map((p) => p.workload)))];
      const { notes, ...rendered } = await renderedFor(plan, helm, workflows, generators);
      tellOnce(notes ?? [], progress);
      const n8n = n8nVersion(rendered.objects);
      refuseSeeding(plan, n8n);
      refuseSeedingOutside(plan, rendered.objects);
      const pods = renderedPods(rendered.objects);
      requireRoom(room, [...pods, ...requestsOfK6(rendered)]);
      const autoscalers = listAutoscalers(rendered.objects);
      const described = {
        ...describeDeployment(pods),
        provisioner: 'kubernetes' as const,
        ...(autoscalers.length > 0 && { autoscalers }),
        ...(notes && { adopted: notes }),
      };
      const helmVersion = (await readVersion(helm, ['version', '--short']))?.version;
      return {
        versions: {
          n8n,
          ...(!notes && { chart: await chartVersion() }),
          ...(helmVersion && { helm: helmVersion }),
        },
        record: described,
        deploy: async (logs) =>
          deployOnKubernetes({
            ...{ cluster, version, helm, rendered, described, workflows, logs, progress, request, n8n },
            isForeign: plan.foreign !== undefined,
            ...(custom && { custom }),
            ...(driven && { driven }),
          }),
      };
    },
  };
}

/** The release of a plan; with n8n of another chart, and notes of what is not as that says, if the plan has one. */
async function renderedFor(
  { foreign, values }: Plan,
  helm: string,
  workflows: string[],
  generators: number,
): Promise<Rendered & { notes?: string[] }> {
  if (!foreign) return renderRelease(helm, values, workflows, generators);
  const adopted = await adoptForeign(helm, foreign, values, 'cluster');
  const release = await renderRelease(helm, releaseValues(adopted.objects), workflows, generators);
  return { ...release, ...mergeIntoRelease(adopted, release.objects, foreign.n8n !== undefined) };
}

async function readClusterFacts(cluster: Cluster, generators: number): Promise<Facts> {
  const version = await cluster.check();
  if (generators > 1) await requireOperator(cluster);
  return { version, room: await readRoom(cluster) };
}

function requireRoom(room: Room | undefined, pods: Request[]): void {
  const short = room && shortOfRoom(pods, room);
  if (short) throw new UsageError(`the cluster has too few resources: ${short}.`);
}

/** Resource requests of the k6 pods. */
function requestsOfK6({ loadTest, testRun }: Rendered): Request[] {
  const spec = loadTest.spec.template.spec;
  const one: Request = { name: 'k6', requests: podRequests({ containers: spec.containers }) };
  return Array.from({ length: testRun?.spec.parallelism ?? 1 }, () => one);
}
