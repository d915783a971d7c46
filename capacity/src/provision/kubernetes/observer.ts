import type { RunnerContainerWatch } from './runner-container-watch.js';
import { runsN8n, type InstanceEvent } from '../../model/events.js';
import type { Replicas } from '../../model/sample.js';
import { parseMetrics } from '../../observe/metrics.js';
import type { N8nMetrics, InstanceLook, Look, Observer, QueueSource } from '../../model/deployment.js';
import { messageOf } from '../../core/errors.js';
import { PodEvents, withProbe } from './pod-events.js';
import { componentOf } from '../../chart/objects.js';
import { isReady, type PodObject, type WorkloadObject } from './api-objects.js';
import { RELEASE, type ReleaseView } from './release.js';
import { CurrentUsage, sumPodMemory } from './usage.js';

/** After so long without an answer from the API server, the step counts as unobserved. */
const SILENCE_MS = 10_000;
/** Share of a look's timeout for requests to the API server. */
const API_SHARE = 0.5;

/**
 * Observes pods through the API server: states, replicas, the kubelets' statistics, and n8n's /metrics through its proxy. It
 * needs no pod of its own and nothing in the pods under test; the cost falls on the API server.
 */
export class KubernetesObserver implements Observer {
  private readonly events = new PodEvents();
  private readonly usage = new CurrentUsage();
  private readonly runners: RunnerContainerWatch;
  private readonly started = new Set<string>();
  private queue: N8nMetrics['queue'];
  private answeredAt = Date.now();
  private silent = false;
  /** The pods of the last successful look. */
  private known: Pick<InstanceLook, 'name' | 'component'>[] = [];

  /** Pods that this run deletes itself: their end is no event. */
  forget = (names: string[]): void => this.events.forget(names);

  /** @param seen called with each pod of a look */
  constructor(
    private readonly view: ReleaseView,
    private readonly seen: (pod: PodObject) => void,
  ) {
    this.runners = view.runnerWatch();
  }

  async look(timeoutMs: number): Promise<Look> {
    const apiMs = timeoutMs * API_SHARE;
    try {
      const [pods, workloads] = await Promise.all([this.view.pods(apiMs), this.view.workloads(apiMs)]);
      this.answeredAt = Date.now();
      this.silent = false;
      // A pod that is being deleted goes on with its executions, and counts them.
      const present = pods.filter((pod) => pod.status.phase !== 'Failed');
      const live = present.filter((pod) => !pod.metadata.deletionTimestamp);
      const looks = await this.lookAt(present, apiMs);
      this.followRunners(live);
      const events = await this.explained(this.events.observe(pods, workloads, Date.now()), apiMs);
      events.push(...this.runners.take());
      live.forEach(this.seen);
      this.known = looks.map(({ name, component }) => ({ name, component }));
      return { instances: looks, events, replicas: replicasOf(workloads, live) };
    } catch (error) {
      const instances = this.known.map((instance) => ({ ...instance, incarnation: '' }));
      return { instances, events: this.unanswered(messageOf(error)) };
    }
  }

  private async lookAt(pods: PodObject[], timeoutMs: number): Promise<InstanceLook[]> {
    const nodes = [...new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []))];
    const [usage, metrics] = await Promise.all([
      this.view.usage(nodes, timeoutMs),
      Promise.all(pods.map((pod) => this.readMetrics(pod, timeoutMs))),
    ]);
    this.queue = metrics.find((m) => m?.queue)?.queue;
    return pods.map((pod, i) => {
      const { name } = pod.metadata;
      const incarnation = containerOf(pod) ?? '';
      const measured = isRunning(pod) ? usage.get(name) : undefined;
      const used = this.usage.of(`${name} ${incarnation}`, measured, metrics[i]?.process);
      return {
        name,
        component: componentOf(pod)!,
        incarnation,
        ...(this.isStarting(pod) && { starting: true }),
        ...(used && { usage: { ...used, ...sumPodMemory(measured!, pod.spec) } }),
        ...(metrics[i] && { metrics: metrics[i] }),
      };
    });
  }

  private isStarting(pod: PodObject): boolean {
    const { name } = pod.metadata;
    const hasStarted = isReady(pod) || pod.status.containerStatuses?.some((s) => s.restartCount > 0);
    if (hasStarted) this.started.add(name);
    return !this.started.has(name);
  }

  private followRunners(pods: PodObject[]): void {
    for (const pod of pods.filter((p) => isN8n(p) && isRunning(p))) this.runners.follow(pod, containerOf(pod)!);
  }

  private async readMetrics(pod: PodObject, timeoutMs: number): Promise<N8nMetrics | undefined> {
    if (!isN8n(pod) || !isRunning(pod)) return undefined;
    const answer = await this.view.ask(pod.metadata.name, '/metrics', timeoutMs);
    return answer?.status === 200 ? parseMetrics(answer.body) : undefined;
  }

  /** Replaces the reason `Crash` with the kubelet's reason, if its events give one. */
  private async explained(events: InstanceEvent[], timeoutMs: number): Promise<InstanceEvent[]> {
    if (!events.some((e) => e.reason === 'Crash')) return events;
    const said = await this.view.events(timeoutMs).catch(() => []);
    return events.map((event) => (event.reason === 'Crash' ? withProbe(event, said) : event));
  }

  private unanswered(message: string): InstanceEvent[] {
    if (this.silent || Date.now() - this.answeredAt < SILENCE_MS) return [];
    this.silent = true;
    const detail = `the API server has not answered for ${SILENCE_MS / 1000} s (${message})`;
    return [{ at: Date.now(), instance: RELEASE, component: 'main', kind: 'unobserved', detail }];
  }

  /** The queue by main's metrics at the last look; n8n updates them every 20 s. */
  readonly queueSource: QueueSource = {
    look: () => Promise.resolve(this.queue),
    close: () => Promise.resolve(),
  };
}

export const isN8n = (object: PodObject | WorkloadObject): boolean => runsN8n(componentOf(object));

/** Number of n8n pods by component: wanted by the workload, and ready. */
export const replicasOf = (workloads: WorkloadObject[], pods: PodObject[]): Replicas[] =>
  workloads.filter(isN8n).map((workload) => {
    const component = componentOf(workload)!;
    const ready = pods.filter((pod) => componentOf(pod) === component && isReady(pod)).length;
    return { component, wanted: workload.spec.replicas ?? 1, ready };
  });

/** The pod's first container: n8n's own, or the database's. */
const first = ({ spec, status }: PodObject) =>
  status.containerStatuses?.find((s) => s.name === spec.containers[0]?.name);

const containerOf = (pod: PodObject): string | undefined => first(pod)?.containerID;

const isRunning = (pod: PodObject): boolean => first(pod)?.state?.running !== undefined;
