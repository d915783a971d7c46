import { RunnerContainerWatch } from './runner-container-watch.js';
import type { ApiProxy } from './api-proxy.js';
import { COMPONENT_LABEL } from '../../chart/objects.js';
import type { EventObject, List, PodObject, WorkloadObject } from './api-objects.js';
import { MetricsServerUsage, usageOfSummary, type PodMetrics, type PodUsage, type Summary } from './usage.js';

/** Label that names the release an object belongs to. */
export const INSTANCE_LABEL = 'app.kubernetes.io/instance';
/** Name of the helm release. */
export const RELEASE = 'n8n-tuned';
/** Port of every n8n process in its pod. */
export const N8N_PORT = 5678;

const UNDER_TEST = `${INSTANCE_LABEL}=${RELEASE},${COMPONENT_LABEL} in (main,worker,webhook,postgresql,redis)`;
const SELECTOR = `labelSelector=${encodeURIComponent(UNDER_TEST)}`;

/** Reads the state of a release from the API server. */
export class ReleaseView {
  private readonly metricsServer = new MetricsServerUsage();
  private kubelet = true;

  constructor(
    private readonly api: ApiProxy,
    readonly namespace: string,
  ) {}

  /** Pods under test. */
  pods(timeoutMs: number): Promise<PodObject[]> {
    return this.podsBy(SELECTOR, timeoutMs);
  }

  /** All pods of the namespace, including those of Jobs. */
  allPods(timeoutMs: number): Promise<PodObject[]> {
    return this.podsBy('', timeoutMs);
  }

  private async podsBy(selector: string, timeoutMs: number): Promise<PodObject[]> {
    const path = `/api/v1/namespaces/${this.namespace}/pods?${selector}`;
    return (await this.api.json<List<PodObject>>(path, timeoutMs)).items;
  }

  /** Deployments and StatefulSets. */
  async workloads(timeoutMs: number): Promise<WorkloadObject[]> {
    const lists = ['deployments', 'statefulsets'].map((kind) =>
      this.api.json<List<WorkloadObject>>(`/apis/apps/v1/namespaces/${this.namespace}/${kind}?${SELECTOR}`, timeoutMs),
    );
    return (await Promise.all(lists)).flatMap(({ items }) => items);
  }

  /** A watch for task runners that end. */
  runnerWatch(): RunnerContainerWatch {
    return new RunnerContainerWatch(this.api, this.namespace);
  }

  async events(timeoutMs: number): Promise<EventObject[]> {
    return (await this.api.json<List<EventObject>>(`/api/v1/namespaces/${this.namespace}/events`, timeoutMs)).items;
  }

  /**
   * CPU and memory of each pod by its name: current counters from the kubelets of these nodes, or metrics-server if this user
   * may not access the kubelets. Pods that cannot be read are missing.
   */
  async usage(nodes: string[], timeoutMs: number): Promise<Map<string, PodUsage>> {
    if (this.kubelet) {
      const found = await Promise.all(nodes.map((node) => this.ofKubelet(node, timeoutMs)));
      if (this.kubelet) return new Map(found.flatMap((usage) => [...usage]));
    }
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${this.namespace}/pods`;
    const metrics = await this.api.json<PodMetrics>(path, timeoutMs).catch(() => ({ items: [] }));
    return this.metricsServer.observe(metrics);
  }

  private async ofKubelet(node: string, timeoutMs: number): Promise<Map<string, PodUsage>> {
    const path = `/api/v1/nodes/${node}/proxy/stats/summary?only_cpu_and_memory=true`;
    const answer = await this.api.get(path, timeoutMs).catch(() => undefined);
    if (answer?.status === 401 || answer?.status === 403) this.kubelet = false;
    if (answer?.status !== 200) return new Map();
    return usageOfSummary(JSON.parse(answer.body) as Summary, this.namespace);
  }

  /** The answer of n8n in a pod to a GET; undefined if there is none in time. */
  async ask(pod: string, path: string, timeoutMs: number): Promise<{ status: number; body: string } | undefined> {
    const proxied = `/api/v1/namespaces/${this.namespace}/pods/${pod}:${N8N_PORT}/proxy${path}`;
    return this.api.get(proxied, timeoutMs).catch(() => undefined);
  }
}
