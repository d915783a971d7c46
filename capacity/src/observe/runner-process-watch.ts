import type { InstanceEvent } from '../model/events.js';
import { readFile } from 'node:fs/promises';
import { descendants, type ProcessStat } from './proc.js';
import type { InstanceLook } from '../model/deployment.js';

/** An instance that is a process tree of this machine. */
export interface ProcessSource {
  name: string;
  component: InstanceLook['component'];
  /** Id of its first process; undefined while it is down. */
  pid(): number | undefined;
  /** n8n's own metrics, where it has them. */
  metricsUrl?: string;
}

/**
 * Notices that a task runner has died: n8n replaces it without a word, and the executions that it had are lost.
 * A runner is a child of n8n whose command line names n8n's task runner.
 */
export class RunnerProcessWatch {
  private readonly known = new Map<number, { instance: string; parent: number }>();
  private readonly checked = new Set<number>();

  constructor(private readonly commandLine: (pid: number) => Promise<string> = readCommandLine) {}

  /** Looks at the processes of now; returns an event for each runner that has gone while its n8n lives on. */
  async observe(instances: ProcessSource[], processes: Map<number, ProcessStat>): Promise<InstanceEvent[]> {
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
    for (const instance of instances) await this.discover(instance, processes);
    return events;
  }

  private async discover(instance: ProcessSource, processes: Map<number, ProcessStat>): Promise<void> {
    const parent = instance.pid();
    if (parent === undefined) return;
    for (const pid of descendants(processes, parent)) {
      if (this.checked.has(pid)) continue;
      this.checked.add(pid);
      if ((await this.commandLine(pid)).includes('task-runner'))
        this.known.set(pid, { instance: instance.name, parent });
    }
  }
}

const readCommandLine = (pid: number) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
