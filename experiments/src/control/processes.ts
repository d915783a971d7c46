import { LOOPBACK } from '../arrangement/loopback.js';
import { rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  allocatePorts,
  Lifecycle,
  listening,
  ProcessObserver,
  scratchFolder,
  Supervised,
  sweepFolders,
  type Deployment,
  type DeploymentRecord,
  type Launch,
  type Progress,
} from 'n8n-capacity';
import { hasSharedPort, type ArrangedProcesses } from '../arrangement/arrangement.js';
import { withRequestCounter } from '../arrangement/counts.js';
import { sharedPortLaunch } from '../arrangement/shared-port.js';
import { controlFolder } from '../paths.js';

/** Name of a control server: a script in experiments/control. */
export type ControlServer = 'bare' | 'express';

/** A control server in an arrangement. */
export interface Control extends ArrangedProcesses {
  server: ControlServer;
}

const READY_SECONDS = 30;
const STOP_SECONDS = 5;

/** A process tree and the port on which it serves. */
interface Server {
  supervised: Supervised;
  port: number;
}

/** The processes of a control server; `lifecycle.teardown` stops them all. */
export class ControlProcesses {
  readonly lifecycle = new Lifecycle(() => this.stopAll());
  private readonly servers: Server[] = [];
  private folder = '';

  constructor(
    private readonly control: Control,
    private readonly record: DeploymentRecord,
    /** Folder for the logs of the processes. */
    private readonly logs: string,
    private readonly progress: Progress,
  ) {
    process.once('exit', this.killNow);
  }

  /**
   * Starts the processes.
   * @throws EnvironmentFault when one of them does not listen in time
   */
  async deploy(): Promise<Deployment> {
    await sweepFolders();
    this.folder = await scratchFolder();
    for (const folder of [this.logs, this.control.counts]) await mkdir(folder, { recursive: true });
    for (const { name } of this.record.instances) {
      const { service: port } = await allocatePorts();
      this.servers.push({
        port,
        supervised: new Supervised(await this.createLaunch(name, port), this.lifecycle.events),
      });
    }
    await this.listening();
    return {
      record: this.record,
      node: process.versions.node,
      access: { endpoints: this.servers.map(({ port }) => `http://${LOOPBACK}:${port}`), token: '' },
      sources: {
        observer: new ProcessObserver(
          this.servers.map(({ supervised }) => ({ ...supervised.launch, pid: () => supervised.pid })),
        ),
        workflowIds: new Set(),
        countsExecutions: false,
      },
      events: this.lifecycle.events,
      ready: () => this.lifecycle.ready(() => this.listening()),
      teardown: this.lifecycle.teardown,
    };
  }

  private async createLaunch(name: string, port: number): Promise<Launch> {
    const cwd = join(this.folder, name);
    await mkdir(cwd);
    const environment = { PATH: process.env.PATH ?? '', HOME: cwd, NODE_ENV: 'production', PORT: String(port) };
    const launch: Launch = {
      name,
      component: 'webhook',
      command: process.execPath,
      args: [join(controlFolder, `${this.control.server}.cjs`)],
      environment: withRequestCounter(environment, this.control.counts),
      cwd,
      logFile: join(this.logs, `${name}.log`),
      graceSeconds: STOP_SECONDS,
    };
    return hasSharedPort(this.control) ? await sharedPortLaunch(launch, this.control) : launch;
  }

  private async listening(): Promise<void> {
    for (const { supervised } of this.servers) supervised.startAfresh();
    for (const { port } of this.servers) await listening(port, READY_SECONDS, this.progress.signal);
  }

  private async stopAll(): Promise<void> {
    await Promise.all(this.servers.map(({ supervised }) => supervised.stop(STOP_SECONDS)));
    if (this.folder) await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    process.off('exit', this.killNow);
  }

  private readonly killNow = (): void => {
    for (const { supervised } of this.servers) supervised.killNow();
    try {
      if (this.folder) rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A server that was just killed may still write. What remains is in the system's temporary folder.
    }
  };
}
