import type { GeneratorRun } from '../load/generator.js';
import type { Deployment } from '../model/deployment.js';
import { CounterSum } from './counter.js';
import type { PoolUse } from './metrics.js';
import type { InstanceLook, Replicas } from './observer.js';
import type { DatabaseLook } from './postgres.js';
import { QueueWatch, type QueueSource } from './queue.js';

/** One look at everything, once a second. */
export interface Sample {
  /** Milliseconds since the epoch. */
  at: number;
  instances: InstanceSample[];
  /** Executions ended since the deployment was ready, over all processes; absent when a process did not say. */
  executions?: { succeeded: number; failed: number };
  /** Jobs in Bull's lists, in queue mode; absent when Redis did not say. */
  queue?: { waiting: number; active: number };
  /** n8n's PostgreSQL; absent where there is none, and when it did not say. */
  database?: DatabaseLook;
  /** Where the number of pods can change. */
  replicas?: Replicas[];
  /** k6, while it runs. */
  generator?: { cpuSeconds: number; rssBytes: number };
}

export interface InstanceSample {
  name: string;
  rssBytes: number;
  /** Since the process started, the children it has ended included. */
  cpuSeconds: number;
  processes: number;
  /** Executions ended since the deployment was ready, by the count of this instance; absent where it counts none. */
  executions?: number;
  heapUsedBytes?: number;
  eventLoopLagP99Seconds?: number;
  /** Absent below n8n 2.30, which does not show them. */
  pool?: PoolUse;
}

const PERIOD_MS = 1000;
const METRICS_TIMEOUT_MS = 2000;

/** Samples the deployment until stopped, and hands each sample on as it is taken. */
export class Sampler {
  private readonly succeeded = new CounterSum();
  private readonly failed = new CounterSum();
  private readonly byInstance = new Map<string, CounterSum>();
  private readonly queue: QueueSource | undefined;
  private timer: NodeJS.Timeout | undefined;
  private chain: Promise<unknown> = Promise.resolve();
  private busy = false;
  /** Whether any process has ever shown a count of executions: n8n shows none before the first has started. */
  counting = false;
  private generator: GeneratorRun | undefined;

  constructor(
    private readonly deployment: Deployment,
    /** Ids of the workflows that are counted. */
    private readonly workflowIds: Set<string>,
    private readonly onSample: (sample: Sample) => void,
  ) {
    this.queue = deployment.queue ?? (deployment.redis && new QueueWatch(deployment.redis));
  }

  /** Whether executions can be counted here at all. */
  get mayCount(): boolean {
    return this.deployment.countsExecutions !== false;
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
    await this.deployment.database?.close();
  }

  /** From now on the load generator is this one; undefined: there is none. */
  watchGenerator(generator: GeneratorRun | undefined): void {
    this.generator = generator;
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
    const [looked, queue, database, generator] = await Promise.all([
      this.deployment.observer.look(metricsTimeoutMs),
      this.queue?.look(),
      this.deployment.database?.look(),
      this.generator?.usage(),
    ]);
    this.deployment.events.push(...looked.events);
    const executions = this.countExecutions(looked.instances);
    return {
      at: Date.now(),
      instances: looked.instances.map((look) => ({ ...instanceSample(look), ...this.executionsOf(look) })),
      ...executions,
      ...(queue && { queue }),
      ...(database && { database }),
      ...(looked.replicas && { replicas: looked.replicas }),
      ...(generator && { generator }),
    };
  }

  /** Counted where executions are started (main, webhook processors): a worker does not count what it has worked off. */
  private countExecutions(looks: InstanceLook[]): Pick<Sample, 'executions'> {
    let complete = this.mayCount;
    this.deployment.instances.forEach(({ name, component }, i) => {
      if (component !== 'main' && component !== 'webhook') return;
      const { metrics, incarnation, starting } = looks[i]!;
      if (!metrics) return void (complete &&= starting === true);
      const source = `${name} ${incarnation}`;
      const [succeeded, failed] = [this.sumOf(metrics.succeeded), this.sumOf(metrics.failed)];
      this.succeeded.observe(source, succeeded);
      this.failed.observe(source, failed);
      const own = this.byInstance.get(name) ?? new CounterSum();
      this.byInstance.set(name, own);
      own.observe(incarnation, succeeded + failed);
      this.counting ||= metrics.counting;
    });
    return complete ? { executions: { succeeded: this.succeeded.total, failed: this.failed.total } } : {};
  }

  private executionsOf({ name, metrics }: InstanceLook): Pick<InstanceSample, 'executions'> {
    const own = metrics && this.byInstance.get(name);
    return own ? { executions: own.total } : {};
  }

  private sumOf(counts: Map<string, number>): number {
    let sum = 0;
    for (const [id, value] of counts) if (id === '' || this.workflowIds.has(id)) sum += value;
    return sum;
  }
}

function instanceSample({ name, usage, metrics }: InstanceLook): InstanceSample {
  const { heapUsedBytes, eventLoopLagP99Seconds, pool } = metrics ?? {};
  return {
    name,
    ...(usage ?? { rssBytes: 0, cpuSeconds: 0, processes: 0 }),
    ...(heapUsedBytes !== undefined && { heapUsedBytes }),
    ...(eventLoopLagP99Seconds !== undefined && { eventLoopLagP99Seconds }),
    ...(pool && { pool }),
  };
}
