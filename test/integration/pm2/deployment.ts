import { listening } from '../../../capacity/src/provision/listening.js';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa, execaSync } from 'execa';
import { repositoryFolder } from '../../../capacity/src/core/paths.js';
import { postgresCommand, redisCommand } from '../../../capacity/src/provision/process/databases.js';
import { LOOPBACK } from '../../../capacity/src/core/loopback.js';
import { allocatePorts } from '../../../capacity/src/provision/process/host.js';
import { loadTargets } from '../../../capacity/src/provision/load-targets.js';
import { importAndActivate, installNode, n8nCommand } from '../../../capacity/src/provision/n8n-import.js';
import { terminalProgress } from '../../../capacity/src/core/progress.js';
import { ensurePostgres } from '../../../capacity/src/tools/postgres.js';
import { ensureN8n, type N8nRuntime } from '../../../capacity/src/tools/runtimes.js';
import { ensureRedis } from '../../../capacity/src/tools/system.js';
import { BIN } from '../cli.js';

const progress = terminalProgress(true);
const PM2 = join(repositoryFolder, 'node_modules', 'pm2');
const VERSION = '2.41.1';

export const TOKEN = 'token-of-the-load-target';

/**
 * n8n under a real PM2, started from the file that the command line wrote, with Redis and PostgreSQL if the values need
 * them.
 */
export class Pm2Deployment {
  private readonly folder = mkdtempSync(join(tmpdir(), 'pm2-'));
  private readonly databases: ChildProcess[] = [];
  private readonly file = join(this.folder, 'ecosystem.config.cjs');
  private environment: Record<string, string> = {};
  private runtime: N8nRuntime | undefined;
  port = 0;

  /** @param values arguments of the command line, such as -f and --set */
  async start(values: string[], { queue = true } = {}): Promise<void> {
    await execa(process.execPath, [BIN, 'pm2', ...values, '-o', this.file]);
    const runtime = await ensureN8n(VERSION, progress);
    this.runtime = runtime;
    this.port = await findFreePorts();
    const home = join(this.folder, 'home');
    mkdirSync(home);
    const secrets = { N8N_ENCRYPTION_KEY: 'k'.repeat(32), DB_POSTGRESDB_PASSWORD: 'p', QUEUE_BULL_REDIS_PASSWORD: 'r' };
    this.environment = {
      PATH: process.env.PATH ?? '',
      HOME: home,
      PM2_HOME: join(this.folder, 'pm2'),
      N8N_USER_FOLDER: home,
      N8N_BIN: runtime.n8n,
      N8N_PM2_PORT: String(this.port),
      EXTERNAL_HOOK_FILES: this.heapHook(),
      N8N_DIAGNOSTICS_ENABLED: 'false',
      N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
      N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
      ...secrets,
      ...(queue && (await this.startDatabases(secrets.DB_POSTGRESDB_PASSWORD, secrets.QUEUE_BULL_REDIS_PASSWORD))),
    };
    await installNode(home);
    const [main] = await this.apps();
    const n8n = n8nCommand(
      runtime,
      { ...this.environment, ...main!.env },
      join(this.folder, 'import.log'),
      progress.signal,
    );
    await importAndActivate(
      n8n,
      VERSION,
      await loadTargets(['webhook-wait', 'webhook-ack'], TOKEN, VERSION),
      this.folder,
    );
    await this.pm2('start', this.file);
  }

  /** The apps that the file defines in this environment. */
  async apps(): Promise<{ name: string; env: Record<string, string> }[]> {
    const print = 'process.stdout.write(JSON.stringify(require(process.argv[1]).apps))';
    const { stdout } = await execa(this.runtime!.node, ['-e', print, this.file], {
      env: this.environment,
      extendEnv: false,
    });
    return JSON.parse(stdout);
  }

  /** Writes a hook of the user that records V8's heap limit in each process. */
  private heapHook(): string {
    const file = join(this.folder, 'heap-hook.cjs');
    const limit = `require('node:v8').getHeapStatistics().heap_size_limit / 2 ** 20`;
    writeFileSync(file, `require('node:fs').writeFileSync(__dirname + '/heap-' + process.pid, String(${limit}));`);
    return file;
  }

  heapMiB(pid: number): number {
    return Number(readFileSync(join(this.folder, `heap-${pid}`), 'utf8'));
  }

  private async startDatabases(password: string, redisPassword: string): Promise<Record<string, string>> {
    const [postgres, redis] = [(await allocatePorts()).service, (await allocatePorts()).service];
    const folder = (name: string) => {
      const path = join(this.folder, name);
      mkdirSync(path);
      return path;
    };
    const user = { POSTGRES_USER: 'n8n', POSTGRES_DB: 'n8n', POSTGRES_PASSWORD: password };
    const commands = [
      await postgresCommand(await ensurePostgres(progress), folder('postgres'), postgres, user, []),
      await redisCommand(await ensureRedis(progress), folder('redis'), redis, { REDIS_PASSWORD: redisPassword }, []),
    ];
    const log = openSync(join(this.folder, 'databases.log'), 'a');
    for (const { command, args } of commands)
      this.databases.push(spawn(command, args, { stdio: ['ignore', log, log] }));
    await Promise.all([postgres, redis].map((port) => listening(port, 60, progress.signal)));
    return { DB_POSTGRESDB_PORT: String(postgres), QUEUE_BULL_REDIS_PORT: String(redis) };
  }

  /** Runs PM2's command line with the Node that n8n requires. */
  async pm2(...args: string[]): Promise<string> {
    const options = { env: this.environment, extendEnv: false, all: true, reject: false, stdin: 'ignore' } as const;
    const { all, exitCode } = await execa(this.runtime!.node, [join(PM2, 'bin', 'pm2'), ...args], options);
    if (exitCode !== 0) throw new Error(`pm2 ${args.join(' ')} ended with ${exitCode}:\n${all}`);
    return all;
  }

  versions(): { n8n: string; pm2: string; node: string } {
    const { node, n8n } = this.runtime!;
    const readVersion = (folder: string) =>
      JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version as string;
    return {
      n8n: readVersion(join(dirname(realpathSync(n8n)), '..')),
      pm2: readVersion(PM2),
      node: execaSync(node, ['--version']).stdout.slice(1),
    };
  }

  /** Process ids of an app. */
  async pids(app: string): Promise<number[]> {
    const text = await this.pm2('pid', app);
    return text
      .split('\n')
      .map(Number)
      .filter((pid) => pid > 0);
  }

  /** Resolves when n8n answers 200 at the URL, with the load target's token. */
  async answers(port: number, path: string, seconds = 120): Promise<void> {
    const url = `http://${LOOPBACK}:${port}${path}`;
    for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(200)) {
      const response = await fetch(url, { headers: { 'x-load-target-token': TOKEN } }).catch(() => undefined);
      await response?.arrayBuffer();
      if (response?.status === 200) return;
    }
    throw new Error(
      `${url} does not answer after ${seconds} s:\n${await this.pm2('logs', '--nostream', '--lines', '40')}`,
    );
  }

  /** Folders of the processes of a component, by process id. */
  foldersOf(component: string): string[] {
    return readdirSync(join(this.folder, 'home', '.n8n-pm2', component));
  }

  /** Ends everything. @returns the command lines of processes that still run */
  async stop(): Promise<string[]> {
    if (this.runtime) await this.pm2('kill');
    for (const database of this.databases) {
      const ended = once(database, 'exit');
      database.kill('SIGINT');
      await ended;
    }
    // The daemon reports its end before it has ended.
    for (let looks = 0; looks < 50 && findProcesses(this.folder).length > 0; looks++) await sleep(100);
    const left = findProcesses(this.folder);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    return left;
  }
}

/** Command lines of the processes that have this text in their environment. */
const findProcesses = (text: string): string[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && readIfExists(`/proc/${pid}/environ`).includes(text))
    .map((pid) => readIfExists(`/proc/${pid}/cmdline`));

function readIfExists(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The first port of a range in which all needed ports are free. */
async function findFreePorts(): Promise<number> {
  for (;;) {
    const first = (await allocatePorts()).service;
    const free = await Promise.all([0, 1, 3, 10, 11, 12, 13].map((offset) => isFree(first + offset)));
    if (free.every(Boolean)) return first;
  }
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, LOOPBACK, () => server.close(() => resolve(true)));
  });
