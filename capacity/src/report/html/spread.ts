import type { Component } from '../../model/events.js';
import { fairness } from '../../judge/fairness.js';
import type { RecordedRun } from '../../record/recorder.js';

/** The work of one process over a run. */
export interface ProcessShare {
  name: string;
  /** Executions that it counted; undefined if it counts none, as a worker. */
  executions?: number;
  cpuSeconds: number;
}

/** How the processes of one component shared its work, with Jain's fairness index of both counts. */
export interface Spread {
  component: Component;
  processes: ProcessShare[];
  /** 1 if all processes did the same, 1/n if one of n did everything; undefined if nothing was counted. */
  executionsIndex?: number;
  cpuIndex?: number;
}

/** Components of n8n that can have several processes. */
const SCALABLE_COMPONENTS: Component[] = ['main', 'webhook', 'worker'];

/** The components of n8n that have several processes. */
export function measureSpreads(run: RecordedRun): Spread[] {
  return SCALABLE_COMPONENTS.flatMap((component): Spread[] => {
    const names = run.run.deployment.instances.filter((i) => i.component === component).map((i) => i.name);
    if (names.length < 2) return [];
    const processes = names.map((name) => processShare(name, run));
    const executionsIndex = fairnessIndex(processes, (p) => p.executions);
    const cpuIndex = fairnessIndex(processes, (p) => p.cpuSeconds);
    return [
      {
        component,
        processes,
        ...(executionsIndex !== undefined && { executionsIndex }),
        ...(cpuIndex !== undefined && { cpuIndex }),
      },
    ];
  });
}

function processShare(name: string, { samples }: RecordedRun): ProcessShare {
  const seen = samples.flatMap((s) => s.instances.find((i) => i.name === name) ?? []);
  const counts = seen.flatMap((s) => s.executions ?? []);
  return {
    name,
    ...(counts.length > 0 && { executions: counts.at(-1)! - counts[0]! }),
    cpuSeconds: seen.reduce((sum, s, i) => sum + increase(seen[i - 1]?.cpuSeconds, s.cpuSeconds), 0),
  };
}

/** A restarted process counts its CPU time from 0. */
const increase = (before: number | undefined, now: number): number =>
  before === undefined ? 0 : now < before ? now : now - before;

function fairnessIndex(processes: ProcessShare[], of: (p: ProcessShare) => number | undefined): number | undefined {
  const counts = processes.flatMap((p): [string, number][] => {
    const count = of(p);
    return count === undefined ? [] : [[p.name, count]];
  });
  return counts.length < processes.length ? undefined : fairness(new Map(counts))?.index;
}
