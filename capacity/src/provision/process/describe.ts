import type { DeploymentRecord } from '../../record/types.js';
import type { Deployment } from '../deployment.js';
import type { KubernetesObject } from './kubernetes.js';
import { podsOf, type Pod } from './pods.js';

/** What a reader of the record must know of the deployment, read off the render; no secret is among it. */
export function describeDeployment(objects: KubernetesObject[], deployment: Deployment): DeploymentRecord {
  const pods = podsOf(objects);
  const main = pods.find((p) => p.component === 'main')!;
  const workers = pods.filter((p) => p.component === 'worker');
  const slots =
    workers.length > 0
      ? workers.reduce((sum, w) => sum + workerConcurrency(w), 0)
      : Number(plain(main, 'N8N_CONCURRENCY_PRODUCTION_LIMIT'));
  return {
    mode: plain(main, 'EXECUTIONS_MODE') === 'queue' ? 'queue' : 'regular',
    process: plain(main, 'EXECUTIONS_PROCESS') === 'own' ? 'own' : 'main',
    database: plain(main, 'DB_TYPE') || 'sqlite',
    limits: deployment.limits,
    instances: pods.map((pod) => ({ name: pod.name, component: pod.component, limits: pod.limits, ...heaps(pod) })),
    ...(slots > 0 && { slots }),
  };
}

const plain = (pod: Pod, name: string): string => pod.container.env?.find((e) => e.name === name)?.value ?? '';

function heaps(pod: Pod): { heapMiB?: number; runnerHeapMiB?: number } {
  const n8n = Number(/--max-old-space-size=(\d+)/.exec(plain(pod, 'NODE_OPTIONS'))?.[1]);
  const runner = Number(plain(pod, 'N8N_RUNNERS_MAX_OLD_SPACE_SIZE'));
  return { ...(n8n > 0 && { heapMiB: n8n }), ...(runner > 0 && { runnerHeapMiB: runner }) };
}

/** N8N_CONCURRENCY_PRODUCTION_LIMIT overrides the flag; n8n's default is 10. */
function workerConcurrency(pod: Pod): number {
  const limit = Number(plain(pod, 'N8N_CONCURRENCY_PRODUCTION_LIMIT'));
  const flag = Number(/--concurrency=(\d+)/.exec((pod.container.args ?? []).join(' '))?.[1]);
  return limit > 0 ? limit : flag > 0 ? flag : 10;
}
