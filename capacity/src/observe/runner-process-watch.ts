import type { InstanceEvent } from '../model/events.js';
import { readFile } from 'node:fs/promises';
import { processTreeIds, type ProcessStat } from './proc.js';
import type { InstanceLook } from '../model/deployment.js';

/** An instance that runs as a process tree on this machine. */
export interface ProcessSource {
  name: string;
  component: InstanceLook['component'];
  /** Id of its first process; undefined while it is down. */
  pid(): number | undefined;
  /** URL of n8n's metrics; undefined if it has none. */
  metricsUrl?: string;
  /** Its first process runs its work on one thread, as Node and Redis do. */
  hasMainThread?: true;
  /** Memory of its control group in bytes. An instance without this counts the proportional set size of its processes. */
  workingSet?: () => number | undefined;
}

/**
 * Detects that a task runner has died: n8n replaces it silently, and its executions are lost. A runner is a descendant of n8n
 * whose command line names n8n's task runner.
 */
export class RunnerProcessWatch {
  private readonly known = new Map<number, { instance: string; parent: number }>();
  private readonly checked = new Set<number>();

  constructor(private readonly commandLine: (pid: number) => Promise<string> = readCommandLine) {}

  /** Compares the processes with those of the last look. Returns an event for each runner that has ended while its n8n runs. */
  async detectDeaths(instances: ProcessSource[], processes: Map<number, ProcessStat>): Promise<InstanceEvent[]> {
    const events: InstanceEvent[] = [];
    for (const [pid, { instance: name, parent }] of this.known) {
      if (processes.has(pid)) continue;
      this.known.delete(pid);
      const instance = instances.find((i) => i.name === name);
      if (instance?.pid() !== parent || !processes.has(parent)) continue;
      const { component } = instance;
      if (component === 'balancer') continue;
      events.push({
        at: Date.now(),
        instance: name,
        component,
        kind: 'runner-died',
        detail: `task runner ${pid} ended`,
      });
    }
    for (const instance of instances) await this.findNewRunners(instance, processes);
    return events;
  }

  private async findNewRunners(instance: ProcessSource, processes: Map<number, ProcessStat>): Promise<void> {
    const parent = instance.pid();
    if (parent === undefined) return;
    for (const pid of processTreeIds(processes, parent)) {
      if (this.checked.has(pid)) continue;
      this.checked.add(pid);
      if ((await this.commandLine(pid)).includes('task-runner'))
        this.known.set(pid, { instance: instance.name, parent });
    }
  }
}

const readCommandLine = (pid: number) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
