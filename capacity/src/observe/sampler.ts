import { sum } from 'simple-statistics';
import type { InstanceSample, Sample } from '../model/sample.js';
import type { GeneratorRun } from '../model/generator.js';
import type { EventLog, InstanceLook, Sources } from '../model/deployment.js';
import { CounterSum } from './counter.js';

const PERIOD_MS = 1000;
const METRICS_TIMEOUT_MS = 2000;

/** Samples the deployment every second until stopped. */
export class Sampler {
  private readonly succeeded = new CounterSum();
  private readonly failed = new CounterSum();
  private readonly asynchronous = { started: new CounterSum(), succeeded: new CounterSum(), failed: new CounterSum() };
  private readonly byInstance = new Map<string, CounterSum>();
  private timer: NodeJS.Timeout | undefined;
  private lastSample: Promise<unknown> = Promise.resolve();
  private busy = false;
  /** Whether any process has reported a count of executions: n8n reports none before its first execution starts. */
  counting = false;
  private generator: GeneratorRun | undefined;

  constructor(
    private readonly sources: Sources,
    /** Receives the events of each look. */
    private readonly events: EventLog,
    /** Ids of the workflows whose executions are counted, and of their asynchronous sub-workflows; `?` is an unknown id. */
    private readonly counted: { workflowIds: Set<string>; asynchronousIds: Set<string> },
    private readonly onSample: (sample: Sample) => void,
  ) {}

  /** Whether executions of this deployment can be counted. */
  get canCount(): boolean {
    return this.sources.countsExecutions !== false;
  }

  start(): void {
    this.timer = setInterval(() => {
      // A slow n8n gets the next request only after it has answered.
      if (!this.busy) void this.sample().then(this.onSample, () => {});
    }, PERIOD_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.lastSample;
    await this.sources.queue?.close();
    await this.sources.database?.close();
  }

  /** Sets the load generator to observe; undefined for none. */
  watchGenerator(generator: GeneratorRun | undefined): void {
    this.generator = generator;
  }

  /** Takes one sample, once the current one has finished: answers out of order would look like a restart. */
  sample(metricsTimeoutMs = METRICS_TIMEOUT_MS): Promise<Sample> {
    const next = this.lastSample.then(() => this.takeSample(metricsTimeoutMs));
    this.lastSample = next.catch(() => undefined);
    this.busy = true;
    const mine = this.lastSample;
    void mine.then(() => {
      if (this.lastSample === mine) this.busy = false;
    });
    return next;
  }

  private async takeSample(metricsTimeoutMs: number): Promise<Sample> {
    const [looked, queue, database, generator] = await Promise.all([
      this.sources.observer.look(metricsTimeoutMs),
      this.sources.queue?.look(),
      this.sources.database?.look(),
      this.generator?.usage(),
    ]);
    this.events.add(...looked.events);
    const asynchronous = this.countAsynchronous(looked.instances);
    const executions = this.countExecutions(looked.instances, asynchronous);
    return {
      at: Date.now(),
      instances: looked.instances.map((look) => ({ ...toInstanceSample(look), ...this.executionsOfInstance(look) })),
      ...executions,
      ...(queue && { queue }),
      ...(database && { database }),
      ...(looked.replicas && { replicas: looked.replicas }),
      ...(looked.host && { host: looked.host }),
      ...(generator && { generator }),
    };
  }

  /** Counts on main and webhook processors, which start executions; workers do not count them. */
  private countExecutions(looks: InstanceLook[], asynchronous: Asynchronous | undefined): Pick<Sample, 'executions'> {
    const counts = ({ component }: InstanceLook) => component === 'main' || component === 'webhook';
    const ids = new Set([...this.counted.workflowIds, '']);
    // Before the first answered look, no instance is known.
    let complete = this.canCount && looks.some(counts);
    for (const { name, metrics, incarnation, starting } of looks.filter(counts)) {
      if (!metrics) {
        complete &&= starting === true;
        continue;
      }
      const source = `${name} ${incarnation}`;
      const [succeeded, failed] = [sumCounts(metrics.succeeded, ids), sumCounts(metrics.failed, ids)];
      this.succeeded.observe(source, succeeded);
      this.failed.observe(source, failed);
      const sum = this.byInstance.get(name) ?? new CounterSum();
      this.byInstance.set(name, sum);
      sum.observe(incarnation, succeeded + failed);
      this.counting ||= metrics.counting;
    }
    const totals = {
      succeeded: this.succeeded.total,
      failed: this.failed.total,
      ...(asynchronous && { asynchronous }),
    };
    return complete ? { executions: totals } : {};
  }

  /** Counts on all processes: a sub-workflow runs in the process of its caller, which may be a worker. */
  private countAsynchronous(looks: InstanceLook[]): Asynchronous | undefined {
    const { asynchronousIds } = this.counted;
    if (asynchronousIds.size === 0 || asynchronousIds.has('?')) return undefined;
    const executing = looks.filter(({ component }) => ['main', 'webhook', 'worker'].includes(component));
    for (const { name, metrics, incarnation } of executing)
      for (const kind of COUNTED_KINDS)
        if (metrics?.[kind])
          this.asynchronous[kind].observe(`${name} ${incarnation}`, sumCounts(metrics[kind], asynchronousIds));
    if (!executing.every(({ metrics, starting }) => metrics?.started !== undefined || starting === true))
      return undefined;
    const { started, succeeded, failed } = this.asynchronous;
    return { started: started.total, succeeded: succeeded.total, failed: failed.total };
  }

  private executionsOfInstance({ name, metrics }: InstanceLook): Pick<InstanceSample, 'executions'> {
    const sum = metrics && this.byInstance.get(name);
    return sum ? { executions: sum.total } : {};
  }
}

type Asynchronous = NonNullable<NonNullable<Sample['executions']>['asynchronous']>;
const COUNTED_KINDS = ['started', 'succeeded', 'failed'] as const;

const sumCounts = (counts: Map<string, number>, ids: Set<string>): number =>
  sum([...counts].map(([id, value]) => (ids.has(id) ? value : 0)));

function toInstanceSample({ name, component, usage, metrics }: InstanceLook): InstanceSample {
  const { heapUsedBytes, eventLoopLagP99Seconds, pool, admission, inside, process: own } = metrics ?? {};
  return {
    name,
    ...(component !== 'balancer' && { component }),
    ...(usage ?? { rssBytes: 0, cpuSeconds: 0, processes: 0 }),
    ...(own && { ownCpuSeconds: own.cpuSeconds }),
    ...(heapUsedBytes !== undefined && { heapUsedBytes }),
    ...(eventLoopLagP99Seconds !== undefined && { eventLoopLagP99Seconds }),
    ...(pool && { pool }),
    ...(admission && { admission }),
    ...(inside && { inside }),
  };
}
