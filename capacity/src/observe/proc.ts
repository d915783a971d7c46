import { readdir, readFile } from 'node:fs/promises';

/** One process, as /proc shows it. */
export interface ProcessStat {
  pid: number;
  parent: number;
  /** Seconds of CPU, its ended children's included. */
  cpuSeconds: number;
  rssBytes: number;
}

/** Sums over a process and all its descendants. */
export interface TreeUsage {
  rssBytes: number;
  cpuSeconds: number;
  processes: number;
}

/** `getconf CLK_TCK` and the page size are 100 and 4096 on every Linux that n8n runs on. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** Every process of this machine; empty where there is no /proc. */
export async function readProcesses(): Promise<Map<number, ProcessStat>> {
  const entries = await readdir('/proc').catch(() => []);
  const stats = await Promise.all(
    entries.filter((e) => /^\d+$/.test(e)).map((e) => readFile(`/proc/${e}/stat`, 'latin1').catch(() => '')),
  );
  return new Map(
    stats
      .filter(Boolean)
      .map((text) => parseStat(text))
      .map((s) => [s.pid, s]),
  );
}

/** Fields of /proc/PID/stat, see proc(5); the command's name may hold spaces and brackets. */
export function parseStat(text: string): ProcessStat {
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  const ticks = [11, 12, 13, 14].reduce((sum, i) => sum + Number(fields[i]), 0);
  return {
    pid: Number(text.slice(0, text.indexOf(' '))),
    parent: Number(fields[1]),
    cpuSeconds: ticks / TICKS_PER_SECOND,
    rssBytes: Number(fields[21]) * PAGE_BYTES,
  };
}

/** A process's id and those of all its descendants; empty when there is no such process. */
export function descendants(processes: Map<number, ProcessStat>, pid: number): number[] {
  if (!processes.has(pid)) return [];
  const children = new Map<number, number[]>();
  for (const p of processes.values()) {
    const siblings = children.get(p.parent);
    if (siblings) siblings.push(p.pid);
    else children.set(p.parent, [p.pid]);
  }
  const found = [pid];
  for (const next of found) found.push(...(children.get(next) ?? []));
  return found;
}

/** Usage of the tree that starts at `pid`; undefined when there is no such process. */
export function treeUsage(processes: Map<number, ProcessStat>, pid: number): TreeUsage | undefined {
  const tree = descendants(processes, pid).map((id) => processes.get(id)!);
  if (tree.length === 0) return undefined;
  const sum = (of: (p: ProcessStat) => number) => tree.reduce((total, p) => total + of(p), 0);
  return { rssBytes: sum((p) => p.rssBytes), cpuSeconds: sum((p) => p.cpuSeconds), processes: tree.length };
}
