import { readFileSync } from 'node:fs';
import { processTreeIds, readProportionalBytes, readProcesses } from 'n8n-capacity';
import type { MemoryPoint } from '../record/memory-csv.js';
import type { ProcessFigures } from '../record/schema.js';

/** The processes of a cell, as the watch on this machine saw them. */
export interface WatchedProcesses {
  processes: ProcessFigures[];
  processesMost: number;
  memoryMostMib: number;
}

const PERIOD_MS = 1000;
const MIB = 2 ** 20;

const GENERATOR = 'k6';
/** Role of n8n commands that import or publish; they are not measured. */
const N8N_COMMAND = 'command';

/** Roles by pattern of the command line; the first match counts. */
const ROLES: [RegExp, string][] = [
  [/^\S*\bk6 run/, GENERATOR],
  [/God Daemon|bin\/pm2-runtime/, 'PM2'],
  [/^nginx: worker/, 'nginx worker'],
  [/^nginx: master/, 'nginx'],
  [/n8n \w+:(workflow|credentials)/, N8N_COMMAND],
  [/redis-server|valkey-server/, 'redis'],
  [/postgres/, 'postgresql'],
  [/cluster\.cjs/, 'cluster primary'],
  [/WorkflowRunnerProcess/, 'own-mode child'],
  [/task-runner/, 'task runner'],
  // The scripts that PM2 runs.
  [/webhook-\d+\/ecosystem\.config\.cjs(?! --only)/, 'webhook'],
  [/(bare|express)-\d+\/script\.cjs/, 'control'],
  [/n8n\/?\S* worker/, 'worker'],
  [/n8n\/?\S* webhook/, 'webhook'],
  [/bin\/n8n/, 'main'],
  [/experiments\/control\//, 'control'],
];

/** Roles of n8n's own processes. */
const N8N = ['main', 'worker', 'webhook', 'own-mode child', 'task runner'];

/** The role of a process by its command line; undefined for processes that are not measured, such as a shell. */
export const roleOfCommand = (line: string): string | undefined =>
  /^\S*sh -c/.test(line) ? undefined : ROLES.find(([form]) => form.test(line))?.[1];

/** Samples the memory of every descendant of this process once a second, until stopped. */
export class ProcessWatch {
  readonly points: MemoryPoint[] = [];
  private readonly started = Date.now();
  private readonly roles = new Map<number, string>();
  private most = 0;
  private mostMib = 0;
  private timer: NodeJS.Timeout | undefined;

  start(): void {
    this.timer = setInterval(() => void this.takeSample().catch(() => {}), PERIOD_MS);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async takeSample(): Promise<void> {
    const processes = await readProcesses();
    const at = Math.round((Date.now() - this.started) / 100) / 10;
    const ours = processTreeIds(processes, process.pid).slice(1);
    let all = 0;
    for (const pid of ours) {
      const role = this.resolveRole(pid);
      if (role === undefined || role === N8N_COMMAND) continue;
      const { rssBytes } = processes.get(pid)!;
      this.points.push({ at, pid, role, mib: rssBytes / MIB });
      if (role !== GENERATOR) all += (readProportionalBytes([pid]) ?? rssBytes) / MIB;
    }
    this.mostMib = Math.max(this.mostMib, all);
    this.most = Math.max(this.most, ours.filter((pid) => N8N.includes(this.roles.get(pid) ?? '')).length);
  }

  /** The role of a process. A shell may later become another program, so the command line is read until the role is known. */
  private resolveRole(pid: number): string | undefined {
    const known = this.roles.get(pid);
    if (known !== undefined) return known;
    const line = readCommandLine(pid);
    const role = line === undefined ? undefined : roleOfCommand(line);
    if (role !== undefined) this.roles.set(pid, role);
    return role;
  }

  /**
   * Summarizes the samples.
   * @param requests counted requests by process id
   */
  summarize(requests: Map<number, number>): WatchedProcesses {
    const processes = [...this.roles]
      .filter(([, role]) => role !== N8N_COMMAND)
      .map(([pid, role]) => ({ pid, role, ...this.memoryFigures(pid), ...requestFigure(requests.get(pid)) }));
    return { processes, processesMost: this.most, memoryMostMib: roundMib(this.mostMib) };
  }

  private memoryFigures(pid: number): Pick<ProcessFigures, 'peakMib' | 'growth'> {
    const mib = this.points.filter((p) => p.pid === pid).map((p) => p.mib);
    return { peakMib: roundMib(Math.max(0, ...mib)), ...memoryGrowth(mib) };
  }
}

/** Samples needed to compare quarters. */
const MIN_SAMPLES = 16;

/** Mean memory of the last quarter divided by that of the second. The process starts in the first quarter, which is left out. */
function memoryGrowth(mib: number[]): { growth?: number } {
  if (mib.length < MIN_SAMPLES) return {};
  const quarter = Math.floor(mib.length / 4);
  const mean = (from: number, to: number) => mib.slice(from, to).reduce((a, b) => a + b, 0) / (to - from);
  return { growth: mean(mib.length - quarter, mib.length) / mean(quarter, 2 * quarter) };
}

const requestFigure = (served: number | undefined) => (served === undefined ? {} : { requests: served });

const roundMib = (mib: number) => Math.round(mib * 10) / 10;

/** The command line of a process; undefined if the process has ended. */
function readCommandLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return undefined;
  }
}
