import { readFileSync } from 'node:fs';
import type { Hands } from '../../model/deployment.js';
import type { Running } from './running.js';

/**
 * Harms processes of this machine.
 * @param untilUp waits until an instance is ready
 */
export function handsOf(
  running: Running[],
  environment: Record<string, string>,
  untilUp: (running: Running) => Promise<void>,
): Hands {
  const find = (name: string): Running => running.find(({ pod }) => pod.name === name)!;
  const supervised = (name: string) => find(name).supervised;
  return {
    environment,
    instances: (component) => running.filter(({ pod }) => pod.component === component).map(({ pod }) => pod.name),
    signal: (name, signal) => supervised(name).signal(signal),
    signalFirst: (name, signal) => {
      const { pid } = supervised(name);
      return pid !== undefined && process.kill(pid, signal);
    },
    isHalted: async (name) => {
      const pids = await supervised(name).pids();
      return pids.length > 0 && pids.every(isHalted);
    },
    takeDown: (name) => supervised(name).takeDown(),
    putBack: (name) => {
      supervised(name).putBack();
      return untilUp(find(name));
    },
    folder: (name) => supervised(name).launch.cwd,
    starts: (name) => supervised(name).starts,
  };
}

/** Whether a process has the state `T` of proc(5); one that has ended meanwhile has not. */
function isHalted(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  } catch {
    return false;
  }
}
