import type { Component, DeathReason, InstanceEvent } from '../../model/events.js';
import type { EventLog } from '../../model/deployment.js';
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { releaseFromGuard, guardCommand } from '../../core/guard.js';
import { readLogTail } from '../../core/log-file.js';
import { LONGEST_TIMER_SECONDS } from '../../core/timers.js';
import { killGroup, signalGroup, signalProcess } from '../../core/processes.js';
import type { Cgroup } from './cgroup.js';

/** How a supervised container is started. */
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
   * Several processes answer on its port, so each request for /metrics shows the counts of only one of them. Its metrics are
   * not read, and the executions of the deployment are not counted.
   */
  shared?: true;
}

/** The kubelet's back-off before it restarts a container: none, then 10 s doubling up to 5 min. */
export function restartDelaySeconds(earlierRestarts: number): number {
  return earlierRestarts === 0 ? 0 : Math.min(300, 10 * 2 ** (earlierRestarts - 1));
}

/** The kubelet forgets earlier restarts of a container that has run for twice the longest back-off, in seconds. */
const FORGIVING_SECONDS = 600;

/** Why a container ended, by its exit code and signal, the kernel's OOM count and V8's message in the log. */
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
 * Runs one container as the kubelet would: in its own process group, under its limits, restarted with back-off when it ends,
 * its output in a log file.
 */
export class Supervised {
  private child: ChildProcess | undefined;
  private restarts = 0;
  private startedAt = 0;
  private generation = 1;
  private oomKillsSeen = 0;
  private stopping = false;
  private isDown = false;
  private endedByProbe = false;
  private timer: NodeJS.Timeout | undefined;
  private ended: Promise<void> = Promise.resolve();

  /** @param forgivingSeconds after so long a run, a restart is again the first one */
  constructor(
    readonly launch: Launch,
    private readonly events: EventLog,
    private readonly forgivingSeconds = FORGIVING_SECONDS,
  ) {}

  /** Id of the container's first process; undefined while it is down. */
  get pid(): number | undefined {
    return this.child?.exitCode === null && this.child.signalCode === null ? this.child.pid : undefined;
  }

  /** Number of starts so far: it differs for each process. */
  get starts(): number {
    return this.generation;
  }

  start(): void {
    const { command, args, environment, cwd, logFile, cgroup } = this.launch;
    const log = openSync(logFile, 'a');
    const { file, args: given, guard } = guardCommand(command, args, cgroup?.procs);
    const child = spawn(file, given, {
      cwd,
      env: environment,
      detached: true,
      stdio: ['ignore', log, log, guard],
    });
    closeSync(log);
    this.child = child;
    this.startedAt = performance.now();
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
    if (this.isStopping()) return;
    if (performance.now() - this.startedAt > this.forgivingSeconds * 1000) this.restarts = 0;
    const kills = (await this.launch.cgroup?.oomKills()) ?? 0;
    const tail = await readLogTail(this.launch.logFile);
    const oom = kills > this.oomKillsSeen;
    const reason = this.endedByProbe ? 'LivenessProbe' : deathReason(code ?? null, signal ?? null, oom, tail);
    this.oomKillsSeen = kills;
    this.endedByProbe = false;
    this.emit('died', error ?? (signal ? `signal ${signal}` : `exit code ${code}`), reason);
    // It may have been started or stopped while the reason was determined.
    if (this.child !== child || this.isStopping()) return;
    await this.killGroup();
    releaseFromGuard(child.pid);
    this.timer = setTimeout(() => this.restart(), restartDelaySeconds(this.restarts) * 1000);
    if (this.isStopping()) clearTimeout(this.timer);
  }

  /** A method, because the compiler would narrow the field, which changes while `onEnd` awaits. */
  private isStopping(): boolean {
    return this.stopping || this.isDown;
  }

  private restart(): void {
    if (this.isStopping()) return;
    this.restarts += 1;
    this.generation += 1;
    this.emit('restarted', `restart ${this.restarts}, after ${restartDelaySeconds(this.restarts - 1)} s`);
    this.start();
  }

  /** Ends it as the kubelet does after too many failures of a liveness or startup probe. */
  async endForProbe(detail: string): Promise<void> {
    if (this.isStopping() || this.pid === undefined) return;
    this.endedByProbe = true;
    this.emit('probe-failed', detail);
    await this.terminate(this.launch.graceSeconds);
  }

  /** Starts it at once if it is down and resets the back-off: the next measurement begins. */
  startAfresh(): void {
    this.restarts = 0;
    if (this.pid !== undefined || this.isStopping()) return;
    clearTimeout(this.timer);
    this.generation += 1;
    this.start();
  }

  emit(kind: InstanceEvent['kind'], detail: string, reason?: DeathReason): void {
    const { name, component } = this.launch;
    this.events.add({ at: Date.now(), instance: name, component, kind, detail, ...(reason && { reason }) });
  }

  /** Stops it without a restart: SIGTERM, then SIGKILL to its process group and cgroup after `graceSeconds`. */
  async stop(graceSeconds: number): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.terminate(graceSeconds);
    await this.ended;
    await this.killGroup();
    releaseFromGuard(this.child?.pid);
  }

  /**
   * Ends it as the kubelet does when its pod is deleted, by the stop signal of its image; it stays down until `putBack`.
   * @returns whether it ended by itself, with exit code 0
   */
  async takeDown(stop: NodeJS.Signals = 'SIGTERM'): Promise<boolean> {
    this.isDown = true;
    clearTimeout(this.timer);
    await this.terminate(this.launch.graceSeconds, stop);
    await this.ended;
    await this.killGroup();
    releaseFromGuard(this.child?.pid);
    return this.child?.exitCode === 0;
  }

  /** Starts it after `takeDown`. */
  putBack(): void {
    this.isDown = false;
    this.startAfresh();
  }

  /** Sends a signal to all of its processes; returns whether it was running. */
  async signal(signal: NodeJS.Signals): Promise<boolean> {
    if (this.pid === undefined) return false;
    await this.killGroup(signal);
    return true;
  }

  /** Ids of all of its processes, as far as its cgroup tells; else of the first one. */
  async pids(): Promise<number[]> {
    const { pid } = this;
    return (await this.launch.cgroup?.pids()) ?? (pid === undefined ? [] : [pid]);
  }

  private async terminate(graceSeconds: number, stop: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.pid === undefined) return;
    process.kill(this.pid, stop);
    const timer = setTimeout(() => void this.killGroup(), Math.min(graceSeconds, LONGEST_TIMER_SECONDS) * 1000);
    await new Promise<void>((resolve) =>
      this.pid === undefined ? resolve() : this.child!.once('exit', () => resolve()),
    );
    clearTimeout(timer);
  }

  /** Own-mode children and task runners outlive n8n for a while; the process group and the cgroup contain them. */
  private async killGroup(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    signalGroup(this.child?.pid, signal);
    for (const pid of (await this.launch.cgroup?.pids()) ?? []) signalProcess(pid, signal);
  }

  /** Synchronous, for `process.on('exit')`. */
  killNow(): void {
    this.stopping = true;
    killGroup(this.child?.pid);
  }
}
