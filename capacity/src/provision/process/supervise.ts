import type { Component, DeathReason, InstanceEvent } from '../../model/events.js';
import type { EventLog } from '../../model/deployment.js';
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { logTail } from '../../core/log-file.js';
import type { Cgroup } from './cgroup.js';

/** What a supervised container is started with. */
export interface Launch {
  name: string;
  component: Component;
  command: string;
  args: string[];
  environment: Record<string, string>;
  cwd: string;
  logFile: string;
  cgroup?: Cgroup;
  graceSeconds: number;
  /**
   * Several processes answer on its port: which of them does is chance. Its metrics are then not read, since the counts of
   * one are not those of all, and the executions of the deployment are not counted.
   */
  shared?: true;
}

/** The kubelet's back-off after a container has ended: at once, then 10 s doubling up to 5 min. */
export function restartDelaySeconds(earlierRestarts: number): number {
  return earlierRestarts === 0 ? 0 : Math.min(300, 10 * 2 ** (earlierRestarts - 1));
}

/** Why a container ended, from what the kernel, V8 and the exit code say. */
export function deathReason(
  exitCode: number | null,
  signal: string | null,
  oomKilled: boolean,
  logTail: string,
): DeathReason {
  if (oomKilled && signal === 'SIGKILL') return 'OOMKilled';
  if (/JavaScript heap out of memory/.test(logTail) && (exitCode === 134 || signal === 'SIGABRT')) return 'V8HeapLimit';
  return 'Crash';
}

/**
 * Runs one container as the kubelet would: its own process group, under its limits, started again with back-off when it
 * ends, output in a log file.
 */
export class Supervised {
  private child: ChildProcess | undefined;
  private restarts = 0;
  private generation = 1;
  private oomKillsSeen = 0;
  private stopping = false;
  private endedByProbe = false;
  private timer: NodeJS.Timeout | undefined;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    readonly launch: Launch,
    private readonly events: EventLog,
  ) {}

  /** Id of the container's first process, undefined while it is down. */
  get pid(): number | undefined {
    return this.child?.exitCode === null && this.child.signalCode === null ? this.child.pid : undefined;
  }

  /** Counts its starts: another number is another process. */
  get starts(): number {
    return this.generation;
  }

  start(): void {
    const { command, args, environment, cwd, logFile, cgroup } = this.launch;
    const log = openSync(logFile, 'a');
    const joinGroups = (cgroup?.procs ?? []).map((file) => `echo $$ > '${file}' && `).join('');
    const child = spawn('/bin/sh', ['-c', `${joinGroups}exec "$@"`, 'sh', command, ...args], {
      cwd,
      env: environment,
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.child = child;
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => void this.onEnd(child, error.message).finally(resolve));
      child.once('exit', (code, signal) => void this.onEnd(child, undefined, code, signal).finally(resolve));
    });
  }

  private async onEnd(
    child: ChildProcess,
    error?: string,
    code?: number | null,
    signal?: string | null,
  ): Promise<void> {
    if (this.stopping) return;
    const kills = (await this.launch.cgroup?.oomKills()) ?? 0;
    const tail = await logTail(this.launch.logFile);
    const oom = kills > this.oomKillsSeen;
    const reason = this.endedByProbe ? 'LivenessProbe' : deathReason(code ?? null, signal ?? null, oom, tail);
    this.oomKillsSeen = kills;
    this.endedByProbe = false;
    this.emit('died', error ?? (signal ? `signal ${signal}` : `exit code ${code}`), reason);
    // It may have been started afresh, or stopped, while the reason was looked up.
    if (this.child !== child || this.isStopping()) return;
    await this.killGroup('SIGKILL');
    this.timer = setTimeout(() => this.restart(), restartDelaySeconds(this.restarts) * 1000);
    if (this.isStopping()) clearTimeout(this.timer);
  }

  /** Read through a function: it changes while `onEnd` waits. */
  private isStopping(): boolean {
    return this.stopping;
  }

  private restart(): void {
    if (this.stopping) return;
    this.restarts += 1;
    this.generation += 1;
    this.emit('restarted', `restart ${this.restarts}, after ${restartDelaySeconds(this.restarts - 1)} s`);
    this.start();
  }

  /** What the kubelet does when a liveness or startup probe has failed often enough. */
  async endForProbe(detail: string): Promise<void> {
    if (this.stopping || this.pid === undefined) return;
    this.endedByProbe = true;
    this.emit('probe-failed', detail);
    await this.terminate(this.launch.graceSeconds);
  }

  /** Starts it at once when it is down, as if it had never ended before: what comes next is another measurement. */
  startAfresh(): void {
    this.restarts = 0;
    if (this.pid !== undefined || this.stopping) return;
    clearTimeout(this.timer);
    this.generation += 1;
    this.start();
  }

  emit(kind: InstanceEvent['kind'], detail: string, reason?: DeathReason): void {
    const { name, component } = this.launch;
    this.events.add({ at: Date.now(), instance: name, component, kind, detail, ...(reason && { reason }) });
  }

  /** Ends it for good: SIGTERM, then SIGKILL to its whole process group and cgroup after `graceSeconds`. */
  async stop(graceSeconds: number): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.terminate(graceSeconds);
    await this.ended;
    await this.killGroup('SIGKILL');
  }

  private async terminate(graceSeconds: number): Promise<void> {
    if (this.pid === undefined) return;
    process.kill(this.pid, 'SIGTERM');
    const timer = setTimeout(() => void this.killGroup('SIGKILL'), graceSeconds * 1000);
    await new Promise<void>((resolve) =>
      this.pid === undefined ? resolve() : this.child!.once('exit', () => resolve()),
    );
    clearTimeout(timer);
  }

  /** Own-mode children and task runners outlive n8n for a while: the group and the cgroup hold them. */
  private async killGroup(signal: NodeJS.Signals): Promise<void> {
    if (this.child?.pid) signalTo(-this.child.pid, signal);
    for (const pid of (await this.launch.cgroup?.pids()) ?? []) signalTo(pid, signal);
  }

  /** For `process.on('exit')`, where nothing can be awaited. */
  killNow(): void {
    this.stopping = true;
    if (this.child?.pid) signalTo(-this.child.pid, 'SIGKILL');
  }
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended already
  }
}
