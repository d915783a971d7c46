import { RunnerProcessWatch, type ProcessSource } from './runner-process-watch.js';
import type { InstanceLook, Observer } from '../model/deployment.js';
import type { InstanceEvent } from '../model/events.js';
import { fetchMetrics } from './metrics.js';
import { readProcesses, treeUsage } from './proc.js';

/** Observes process trees through /proc (or `ps`) and n8n's metrics. */
export class ProcessObserver implements Observer {
  private readonly runners = new RunnerProcessWatch();

  constructor(readonly sources: ProcessSource[]) {}

  async look(timeoutMs: number): Promise<{ instances: InstanceLook[]; events: InstanceEvent[] }> {
    const [processes, metrics] = await Promise.all([
      readProcesses(),
      Promise.all(this.sources.map((source) => fetchMetrics(source.metricsUrl, timeoutMs))),
    ]);
    const events = await this.runners.observe(this.sources, processes);
    const instances = this.sources.map((source, i): InstanceLook => {
      const pid = source.pid();
      const tree = pid === undefined ? undefined : treeUsage(processes, pid);
      const workingSetBytes = source.workingSet?.();
      const usage = tree && { ...tree, ...(workingSetBytes !== undefined && { workingSetBytes }) };
      return {
        name: source.name,
        component: source.component,
        incarnation: String(pid),
        ...(usage && { usage }),
        ...(metrics[i] && { metrics: metrics[i] }),
      };
    });
    return { instances, events };
  }
}
