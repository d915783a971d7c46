import { QueueWatch } from '../../capacity/src/observe/queue.js';
import { listening } from '../../capacity/src/provision/listening.js';
import type { ProcessSource } from '../../capacity/src/observe/runner-process-watch.js';
import type { Component } from '../../capacity/src/model/events.js';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import pg from 'pg';
import { PostgresWatch } from '../../capacity/src/observe/postgres.js';
import { ProcessObserver } from '../../capacity/src/observe/process-observer.js';
import type { PostgresAddress, Sources } from '../../capacity/src/model/deployment.js';
import { postgresCommand, redisCommand } from '../../capacity/src/provision/process/databases.js';

/** The processes of n8n. Each has one child, which stands in for its task runner. */
const N8N: Component[] = ['main', ...Array<Component>(4).fill('worker'), ...Array<Component>(2).fill('webhook')];
/** Database connections of these processes; each is a process of PostgreSQL. */
const CONNECTIONS = 14;
const STARTUP_SECONDS = 60;

/** The real programs: the command of Redis and the folder of PostgreSQL. */
export interface Tools {
  redis: string;
  /** The folder of `initdb` and `postgres`. */
  postgres: string;
}

/** A stand-in for a deployment in queue mode: processes that sleep, one file as their metrics pages, and real databases. */
export class StandIn {
  private readonly folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-sampler-'));
  private readonly started: ChildProcess[] = [];

  /** Id of the process that serves the metrics pages. */
  get server(): number {
    return this.started[0]!.pid!;
  }

  /**
   * Starts the stand-in.
   * @param page file with the metrics page of each n8n process
   * @param server script that serves the pages
   */
  async start(page: string, server: string, tools: Tools): Promise<Sources> {
    const serving = fork(server, [page, String(N8N.length)], { detached: true });
    this.started.push(serving);
    const [ports] = (await once(serving, 'message')) as [number[]];
    const sources = N8N.map((component, i): ProcessSource => {
      const pid = this.spawnProcess('sh', ['-c', 'sleep 3600 & wait']);
      return {
        name: `${component}-${i}`,
        component,
        pid: () => pid,
        metricsUrl: `http://127.0.0.1:${ports[i]}/metrics`,
      };
    });
    const redis = { host: '127.0.0.1', port: await getPort({ host: '127.0.0.1' }) };
    sources.push(
      await this.startDatabase('redis', redis.port, await redisCommand(tools.redis, this.folder, redis.port, {}, [])),
    );
    const postgres = await this.postgres(tools.postgres, sources);
    return {
      observer: new ProcessObserver(sources),
      queue: new QueueWatch(redis),
      database: new PostgresWatch(postgres, console.error),
    };
  }

  /** Stops everything. */
  stop(): void {
    // Each process leads its own process group, which contains its children.
    for (const { pid } of this.started) process.kill(-pid!, 'SIGKILL');
    rmSync(this.folder, { recursive: true });
  }

  private async postgres(bin: string, sources: ProcessSource[]): Promise<PostgresAddress> {
    const address = {
      host: '127.0.0.1',
      port: await getPort({ host: '127.0.0.1' }),
      user: 'n8n',
      password: 'n8n',
      database: 'n8n',
    };
    const environment = { POSTGRES_USER: address.user, POSTGRES_PASSWORD: address.password };
    const command = await postgresCommand(bin, this.folder, address.port, environment, []);
    sources.push(await this.startDatabase('postgresql', address.port, command));
    for (let i = 0; i < CONNECTIONS; i++) await openConnection(address);
    return address;
  }

  private async startDatabase(
    component: Component,
    port: number,
    { command, args }: { command: string; args: string[] },
  ): Promise<ProcessSource> {
    const pid = this.spawnProcess(command, args);
    await listening(port, STARTUP_SECONDS, new AbortController().signal);
    return { name: component, component, pid: () => pid };
  }

  private spawnProcess(command: string, args: string[]): number {
    this.started.push(spawn(command, args, { detached: true, stdio: 'ignore' }));
    return this.started.at(-1)!.pid!;
  }
}

/** Opens a connection as soon as PostgreSQL accepts it. */
async function openConnection(address: PostgresAddress): Promise<void> {
  for (const end = Date.now() + STARTUP_SECONDS * 1000; ; await sleep(200)) {
    const client = new pg.Client(address);
    client.on('error', () => {}); // PostgreSQL is killed at the end.
    try {
      await client.connect();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}
