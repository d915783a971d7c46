import { RunnerProcessWatch, type ProcessSource } from './runner-process-watch.js';
import type { InstanceLook, Look, Observer } from '../model/deployment.js';
import { readHostLook } from './host.js';
import { fetchMetrics } from './metrics.js';
import { processTreeIds, readMainThreadSeconds, readProportionalBytes, readProcesses, sumTreeUsage } from './proc.js';

/** Observes process trees through /proc (or `ps`) and n8n's metrics. */
export class ProcessObserver implements Observer {
  private readonly runners = new RunnerProcessWatch();

  constructor(readonly sources: ProcessSource[]) {}

  async look(timeoutMs: number): Promise<Look> {
    const [{ processes, host }, metrics] = await Promise.all([
      // Both are read at the same time, because their difference is the use by other processes.
      readProcesses().then((all) => ({ processes: all, host: readHostLook(all) })),
      Promise.all(this.sources.map((source) => fetchMetrics(source.metricsUrl, timeoutMs))),
    ]);
    const events = await this.runners.detectDeaths(this.sources, processes);
    const instances = this.sources.map((source, i): InstanceLook => {
      const pid = source.pid();
      const tree = pid === undefined ? undefined : sumTreeUsage(processes, pid);
      const workingSetBytes = source.workingSet
        ? source.workingSet()
        : pid === undefined
          ? undefined
          : // Without proportional sizes, as on macOS, a shared page counts in each process: the sum may be too high, never too low.
            (readProportionalBytes(processTreeIds(processes, pid)) ?? tree?.rssBytes);
      const threadCpuSeconds = source.hasMainThread && pid !== undefined ? readMainThreadSeconds(pid) : undefined;
      const usage = tree && {
        ...tree,
        ...(workingSetBytes !== undefined && { workingSetBytes }),
        ...(threadCpuSeconds !== undefined && { threadCpuSeconds }),
      };
      return {
        name: source.name,
        component: source.component,
        incarnation: String(pid),
        ...(usage && { usage }),
        ...(metrics[i] && { metrics: metrics[i] }),
      };
    });
    return { instances, events, ...(host && { host }) };
  }
}
