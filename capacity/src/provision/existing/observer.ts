import type { InstanceEvent } from '../../model/events.js';
import { fetchMetrics } from '../../observe/metrics.js';
import type { Instance, N8nMetrics, InstanceLook, Observer } from '../../model/deployment.js';
import type { N8nApi } from './api.js';

type Looks = Promise<{ instances: InstanceLook[]; events: InstanceEvent[] }>;

/**
 * Reads the metrics URLs. Metrics without workflow ids are ignored: they would count executions of other workflows. A process
 * that started after the first look has replaced one that died.
 */
export class MetricsObserver implements Observer {
  /** The latest start of each instance's process that was seen, or when it was first looked at, in milliseconds by its clock. */
  private readonly since = new Map<string, number>();

  constructor(
    private readonly instances: Instance[],
    private readonly urls: string[],
  ) {}

  async look(timeoutMs: number): Looks {
    const metrics = await Promise.all(this.urls.map((url) => fetchMetrics(url, timeoutMs)));
    const events: InstanceEvent[] = [];
    const instances = this.instances.map((instance, i): InstanceLook => {
      const { name, component } = instance;
      const found = metrics[i];
      const all = found && (found.succeeded.has('') || found.failed.has(''));
      if (found) events.push(...this.restarted(instance, found));
      // Several processes may answer at one address: each counts its own executions.
      const incarnation = String(found?.startedAtMs ?? '');
      return { name, component, incarnation, ...(found && !all && { metrics: found }) };
    });
    return { instances, events };
  }

  /** Behind a balancer, each look may show another process: only a start after the first look is a new one. */
  private restarted({ name, component }: Instance, { startedAtMs, answeredAtMs }: N8nMetrics): InstanceEvent[] {
    const since = this.since.get(name);
    // By the clock of its machine, as the start is; it has whole seconds.
    if (since === undefined) this.since.set(name, answeredAtMs === undefined ? Date.now() : answeredAtMs + 1000);
    if (since === undefined || startedAtMs === undefined || startedAtMs <= since) return [];
    this.since.set(name, startedAtMs);
    const detail = `its process started anew at ${new Date(startedAtMs).toISOString()}`;
    return [{ at: startedAtMs, instance: name, component, kind: 'died', detail }];
  }
}

/** Number of pages of 250 without anything new after which reading stops … */
const KNOWN_PAGES = 2;
/**
 * … and older pages at times. The pause before them is this multiple of the time that reading took. n8n lists an execution by its
 * start, and only after its end: it may appear behind thousands of newer ones. Not all pages are read: a soak has a thousand,
 * and reading them would leave a gap in the counts.
 */
const DEEP_PAGES = 40;
const DEEP_PAUSE = 10;
const LEAST_DEEP_PAUSE_MS = 5000;
const FAILED = new Set(['error', 'crashed', 'canceled']);

/** Counts executions from the list of the public API, which every n8n has. */
export class ExecutionsObserver implements Observer {
  private readonly ended = new Map<string, Map<string, boolean>>();
  /** When DEEP_PAGES of each workflow are read next, in milliseconds of `performance.now`. */
  private readonly deepAt = new Map<string, number>();

  /** @param after for an existing workflow: id of the newest execution that is not counted */
  constructor(
    private readonly instance: Instance,
    private readonly api: N8nApi,
    private readonly workflowIds: string[],
    private readonly after?: number,
  ) {}

  async look(timeoutMs: number): Looks {
    const { name, component } = this.instance;
    try {
      for (const id of this.workflowIds) await this.read(id, timeoutMs);
    } catch {
      return { instances: [{ name, component, incarnation: '' }], events: [] };
    }
    return { instances: [{ name, component, incarnation: '', metrics: this.metrics() }], events: [] };
  }

  private async read(workflowId: string, timeoutMs: number): Promise<void> {
    const ended = this.ended.get(workflowId) ?? new Map<string, boolean>();
    this.ended.set(workflowId, ended);
    const begun = performance.now();
    const deep = begun >= (this.deepAt.get(workflowId) ?? 0);
    let known = 0;
    for await (const page of this.api.executions(workflowId, timeoutMs)) {
      const own = page.filter(({ id }) => Number(id) > (this.after ?? 0));
      const fresh = own.filter(({ id, status }) => !ended.has(id) && (status === 'success' || FAILED.has(status)));
      for (const { id, status } of fresh) ended.set(id, status === 'success');
      known = fresh.length === 0 ? known + 1 : 0;
      if (known === (deep ? DEEP_PAGES : KNOWN_PAGES) || own.length < page.length) break;
    }
    if (!deep) return;
    const now = performance.now();
    this.deepAt.set(workflowId, now + Math.max(LEAST_DEEP_PAUSE_MS, DEEP_PAUSE * (now - begun)));
  }

  private metrics(): N8nMetrics {
    const count = (succeeded: boolean) =>
      new Map(
        [...this.ended].map(
          ([id, ended]) => [id, [...ended.values()].filter((ok) => ok === succeeded).length] as const,
        ),
      );
    const succeeded = count(true);
    // n8n may save no executions of an existing workflow, or only those that fail: a list without a success is then no count.
    const counting = this.after === undefined || [...succeeded.values()].some((number) => number > 0);
    return { counting, succeeded, failed: count(false) };
  }
}

/** Observes nothing, so that nothing is counted. */
export const unseen = ({ name, component }: Instance): Observer => ({
  look: () => Promise.resolve({ instances: [{ name, component, incarnation: '' }], events: [] }),
});
