import type { TreeUsage } from '../model/deployment.js';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { execa } from 'execa';

/** One process in /proc. */
export interface ProcessStat {
  pid: number;
  parent: number;
  /** CPU seconds, including those of its ended children. */
  cpuSeconds: number;
  rssBytes: number;
}

/** Clock ticks a second (`getconf CLK_TCK`), the same on every Linux that n8n runs on. */
export const TICKS_PER_SECOND = 100;
/** Bytes of a memory page, the same on every Linux that n8n runs on. */
const PAGE_BYTES = 4096;

/** Every process of this machine, from /proc, or from `ps` without /proc (macOS). */
export async function readProcesses(): Promise<Map<number, ProcessStat>> {
  const entries = await readdir('/proc').catch(() => undefined);
  const stats = entries ? readFromProc(entries.filter((e) => /^\d+$/.test(e))) : await readFromPs();
  return new Map(stats.map((s) => [s.pid, s]));
}

/** Reads synchronously: the kernel answers from memory, and Node's thread pool takes seven times as long. */
function readFromProc(pids: string[]): ProcessStat[] {
  return pids.flatMap((pid) => {
    try {
      return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return []; // It has ended meanwhile.
    }
  });
}

/** Every process, from `ps`. Its CPU times are in whole seconds on Linux and in hundredths on macOS. */
export async function readFromPs(): Promise<ProcessStat[]> {
  const { stdout } = await execa('ps', ['-axo', 'pid=,ppid=,rss=,time='], { stdin: 'ignore', reject: false });
  return (stdout ?? '').split('\n').filter(Boolean).map(parsePsLine);
}

/** Parses a line of `ps`: ids, resident KiB, and CPU time as `[[days-]hours:]minutes:seconds`. */
export function parsePsLine(line: string): ProcessStat {
  const [pid = '', parent = '', kib = '', time = ''] = line.trim().split(/\s+/);
  const [clock = '', days = '0'] = time.split('-').reverse();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  const cpuSeconds = Number(days) * 86_400 + seconds;
  return { pid: Number(pid), parent: Number(parent), cpuSeconds, rssBytes: Number(kib) * 1024 };
}

/** Parses /proc/PID/stat, see proc(5); the command's name may contain spaces and brackets. */
export function parseStat(text: string): ProcessStat {
  const fields = splitStatFields(text);
  const ticks = [11, 12, 13, 14].reduce((sum, i) => sum + Number(fields[i]), 0);
  return {
    pid: Number(text.slice(0, text.indexOf(' '))),
    parent: Number(fields[1]),
    cpuSeconds: ticks / TICKS_PER_SECOND,
    rssBytes: Number(fields[21]) * PAGE_BYTES,
  };
}

const splitStatFields = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/** CPU seconds of a process' main thread; undefined if it has ended, or without /proc. */
export function readMainThreadSeconds(pid: number): number | undefined {
  try {
    const [user, system] = splitStatFields(readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8')).slice(11, 13);
    return (Number(user) + Number(system)) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/**
 * Memory of these processes in bytes, each shared page counted once: the sum of their proportional set sizes (proc(5),
 * smaps_rollup). Undefined without /proc, or if none can be read.
 */
export function readProportionalBytes(pids: number[]): number | undefined {
  const sizes = pids.flatMap((pid) => {
    try {
      const kib = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
      return kib === undefined ? [] : [Number(kib) * 1024];
    } catch {
      return []; // It has ended meanwhile, or belongs to another user.
    }
  });
  return sizes.length === 0 ? undefined : sizes.reduce((a, b) => a + b);
}

/** Current usage of a process without children; undefined if it does not exist. */
export async function readProcessUsage(pid: number): Promise<TreeUsage | undefined> {
  const [stat] = readFromProc([String(pid)]);
  if (stat) return { rssBytes: stat.rssBytes, cpuSeconds: stat.cpuSeconds, processes: 1 };
  return sumTreeUsage(await readProcesses(), pid);
}

/** Ids of a process and all its descendants; empty if it does not exist. */
export function processTreeIds(processes: Map<number, ProcessStat>, pid: number): number[] {
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

/** Usage of a process and all its descendants; undefined if it does not exist. */
export function sumTreeUsage(processes: Map<number, ProcessStat>, pid: number): TreeUsage | undefined {
  const tree = processTreeIds(processes, pid).map((id) => processes.get(id)!);
  if (tree.length === 0) return undefined;
  const sum = (of: (p: ProcessStat) => number) => tree.reduce((total, p) => total + of(p), 0);
  return { rssBytes: sum((p) => p.rssBytes), cpuSeconds: sum((p) => p.cpuSeconds), processes: tree.length };
}
