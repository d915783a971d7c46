import type { Deployment } from '../provision/deployment.js';
import { CounterSum } from './counter.js';
import { fetchMetrics } from './metrics.js';
import { readProcesses, treeUsage } from './proc.js';
import { QueueWatch } from './queue.js';
import { RunnerWatch } from './runner-watch.js';

/** One look at everything, once a second. */
export interface Sample {
  /** Milliseconds since the epoch. */
  at: number;
  instances: InstanceSample[];
  /** Executions ended since the deployment was ready, over all processes; absent when a process did not say. */
  executions?: { succeeded: number; failed: number };
  /** Jobs in Bull's lists, in queue mode; absent when Redis did not say. */
  queue?: { waiting: number; active: number };
  /** k6, while it runs. */
  generator?: { cpuSeconds: number; rssBytes: number };
}

export interface InstanceSample {
  name: string;
  rssBytes: number;
  /** Since the process started, the children it has ended included. */
  cpuSeconds: number;
  processes: number;
  heapUsedBytes?: number;
  eventLoopLagP99Seconds?: number;
}

const PERIOD_MS = 1000;
const METRICS_TIMEOUT_MS = 2000;

/** Samples the deployment until stopped, and hands each sample on as it is taken. */
export class Sampler {
  private readonly succeeded = new CounterSum();
  private readonly failed = new CounterSum();
  private readonly queue: QueueWatch | undefined;
  private readonly runners = new RunnerWatch();
  private timer: NodeJS.Timeout | undefined;
  private chain: Promise<unknown> = Promise.resolve();
  private busy = false;
  /** Whether any process has ever shown a count of executions: n8n shows none before the first has started. */
  counting = false;
  private generatorPid: number | undefined;

  constructor(
    private readonly deployment: Deployment,
    /** Ids of the workflows that are counted. */
    private readonly workflowIds: Set<string>,
    private readonly onSample: (sample: Sample) => void,
  ) {
    this.queue = deployment.redis && new QueueWatch(deployment.redis);
  }

  start(): void {
    this.timer = setInterval(() => {
      // A slow n8n is asked again when it has answered, not once for every second that it was slow.
      if (!this.busy) void this.sample().then(this.onSample, () => {});
    }, PERIOD_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.chain;
    await this.queue?.close();
  }

  /** From now on the load generator is this process; undefined: there is none. */
  watchGenerator(pid: number | undefined): void {
    this.generatorPid = pid;
  }

  /** Takes one sample now, after the one that is being taken: an older answer that came later would look like a restart. */
  sample(metricsTimeoutMs = METRICS_TIMEOUT_MS): Promise<Sample> {
    const next = this.chain.then(() => this.take(metricsTimeoutMs));
    this.chain = next.catch(() => undefined);
    this.busy = true;
    const mine = this.chain;
    void mine.then(() => {
      if (this.chain === mine) this.busy = false;
    });
    return next;
  }

  private async take(metricsTimeoutMs: number): Promise<Sample> {
    const [processes, metrics, queue] = await Promise.all([
      readProcesses(),
      Promise.all(this.deployment.instances.map((i) => fetchMetrics(i.metricsUrl, metricsTimeoutMs))),
      this.queue?.look(),
    ]);
    this.deployment.events.push(...(await this.runners.observe(this.deployment.instances, processes)));
    const instances = this.deployment.instances.map((instance, i): InstanceSample => {
      const pid = instance.pid();
      const usage = (pid && treeUsage(processes, pid)) || { rssBytes: 0, cpuSeconds: 0, processes: 0 };
      const { heapUsedBytes, eventLoopLagP99Seconds: lag } = metrics[i] ?? {};
      return {
        name: instance.name,
        ...usage,
        ...(heapUsedBytes !== undefined && { heapUsedBytes }),
        ...(lag !== undefined && { eventLoopLagP99Seconds: lag }),
      };
    });
    const generator = this.generatorPid ? treeUsage(processes, this.generatorPid) : undefined;
    return {
      at: Date.now(),
      instances,
      ...this.countExecutions(metrics),
      ...(queue && { queue }),
      ...(generator && { generator: { cpuSeconds: generator.cpuSeconds, rssBytes: generator.rssBytes } }),
    };
  }

  /** Counted where executions are started (main, webhook processors): a worker does not count what it has worked off. */
  private countExecutions(
    metrics: (Awaited<ReturnType<typeof fetchMetrics>> | undefined)[],
  ): Pick<Sample, 'executions'> {
    let complete = true;
    this.deployment.instances.forEach((instance, i) => {
      if (instance.component !== 'main' && instance.component !== 'webhook') return;
      const read = metrics[i];
      if (!read) return void (complete = false);
      const source = `${instance.name} ${instance.pid()}`;
      this.succeeded.observe(source, this.sumOf(read.succeeded));
      this.failed.observe(source, this.sumOf(read.failed));
      this.counting ||= read.counting;
    });
    return complete ? { executions: { succeeded: this.succeeded.total, failed: this.failed.total } } : {};
  }

  private sumOf(counts: Map<string, number>): number {
    let sum = 0;
    for (const [id, value] of counts) if (id === '' || this.workflowIds.has(id)) sum += value;
    return sum;
  }
}
