import { readFileSync } from 'node:fs';
import type { HostLook } from '../model/sample.js';
import { TICKS_PER_SECOND, sumTreeUsage, type ProcessStat } from './proc.js';

/** The use, by all processes, of the cores that this process may run on; undefined without /proc. */
export function readHostLook(processes: Map<number, ProcessStat>): HostLook | undefined {
  try {
    const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
    const used = sumCoreTimes(readFileSync('/proc/stat', 'utf8'), parseCores(allowed));
    const own = sumTreeUsage(processes, process.pid);
    return used && own && { ...used, ownSeconds: own.cpuSeconds };
  } catch {
    return undefined;
  }
}

/** The numbers of the cores in a list such as `0-1,4`. */
export const parseCores = (list: string): Set<number> =>
  new Set(
    list
      .split(',')
      .filter(Boolean)
      .flatMap((range) => {
        const [first = 0, last = first] = range.split('-').map(Number);
        return Array.from({ length: last - first + 1 }, (_, i) => first + i);
      }),
  );

/**
 * Busy and total time of these cores in seconds, from /proc/stat (proc_stat(5)). Busy is user, nice, system, and stolen by the
 * hypervisor. Interrupts are left out: no process is charged for them, and those of the loopback device come from the
 * deployment.
 * @returns undefined if none of the cores is listed
 */
export function sumCoreTimes(stat: string, cores: ReadonlySet<number>): Omit<HostLook, 'ownSeconds'> | undefined {
  const lines = [...stat.matchAll(/^cpu(\d+) (.*)$/gm)].filter(([, core]) => cores.has(Number(core)));
  if (lines.length === 0) return undefined;
  const looks = lines.map(([, , times = '']) => {
    // Guest time, the last two, is part of user and nice.
    const all = times.split(' ').slice(0, 8).map(Number);
    const [user = 0, nice = 0, system = 0, , , , , stolen = 0] = all;
    return { busy: user + nice + system + stolen, total: all.reduce((a, b) => a + b, 0) };
  });
  const seconds = (of: (look: (typeof looks)[number]) => number) =>
    looks.reduce((sum, look) => sum + of(look), 0) / TICKS_PER_SECOND;
  return { cores: lines.length, totalSeconds: seconds((l) => l.total), busySeconds: seconds((l) => l.busy) };
}
