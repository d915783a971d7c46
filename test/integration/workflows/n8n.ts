import { EventLog } from '../../../capacity/src/model/deployment.js';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import semver from 'semver';
import { lastLines, readLogTail } from '../../../capacity/src/core/log-file.js';
import { LOOPBACK } from '../../../capacity/src/core/loopback.js';
import { allocatePorts, onThisHost } from '../../../capacity/src/provision/process/host.js';
import { loadTargets } from '../../../capacity/src/provision/load-targets.js';
import { installNode, n8nCommand } from '../../../capacity/src/provision/n8n-import.js';
import { Supervised } from '../../../capacity/src/provision/process/supervise.js';
import type { N8nRuntime } from '../../../capacity/src/tools/runtimes.js';

const never = new AbortController().signal;

/** An n8n in a new home, on free loopback ports, with SQLite and the built node package. */
export async function createN8n(runtime: N8nRuntime): Promise<N8n> {
  const home = await mkdtemp(join(tmpdir(), 'n8n-tuned-check-'));
  await installNode(home);
  const ports = await allocatePorts();
  const own = {
    PATH: process.env.PATH ?? '',
    N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
    // memory-hog-interval holds 512 MB, and calls to memory-hog come on top.
    NODE_OPTIONS: '--max-old-space-size=2048',
    // The default of n8n below 1.0 is `own`; later versions only have `main`.
    ...(semver.lt(runtime.version, '1.0.0') && { EXECUTIONS_PROCESS: 'main' }),
  };
  const environment = onThisHost(own, 'main', ports, new Map(), home);
  return new N8n(runtime, home, environment, `http://${LOOPBACK}:${ports.service}`);
}

/** An entry of the event log that every n8n writes, even if it does not save executions. */
interface LoggedEvent {
  eventName?: string;
  payload?: { workflowId?: string };
}

export class N8n {
  readonly token = randomBytes(24).toString('hex');
  private readonly events = new EventLog();
  private supervised: Supervised | undefined;

  constructor(
    private readonly runtime: N8nRuntime,
    private readonly home: string,
    private readonly environment: Record<string, string>,
    readonly url: string,
  ) {
    process.once('exit', () => this.supervised?.killNow());
  }

  /** Runs one command of n8n's command line; n8n must not be running. */
  command(...args: string[]): Promise<void> {
    return n8nCommand(this.runtime, this.environment, join(this.home, 'commands.log'), never)(...args);
  }

  /** The credentials of the load targets, and of queue-watch for the queue in a Redis on this machine. */
  async importCredentials(redisPort: number): Promise<void> {
    const { credentials } = await loadTargets([], this.token, this.runtime.version);
    const data = { host: LOOPBACK, port: redisPort, database: 0, prefix: 'bull', queue: 'jobs' };
    const queue = { id: '2000000000000002', name: 'n8n-tuned queue', type: 'bullQueueApi', data };
    const file = join(this.home, 'credentials.json');
    // n8n below 1.0 requires the list of nodes that may use them.
    await writeFile(file, JSON.stringify([...credentials, queue].map((each) => ({ ...each, nodesAccess: [] }))));
    await this.command('import:credentials', `--input=${file}`);
  }

  /** Activates all workflows in the database, which must be those with these ids. n8n must not be running. */
  async activateAll(ids: string[]): Promise<void> {
    // n8n below 1.0 only changes workflows that are already active.
    if (semver.major(this.runtime.version) === 1) return this.command('update:workflow', '--all', '--active=true');
    for (const id of ids) await this.activate(id);
  }

  /** Activates one workflow; n8n must not be running. */
  activate(id: string): Promise<void> {
    const command = semver.lt(this.runtime.version, '2.0.0')
      ? ['update:workflow', '--active=true']
      : ['publish:workflow'];
    return this.command(...command, `--id=${id}`);
  }

  /** Ids of the workflows in n8n, and whether each is active. */
  async workflows(): Promise<Record<string, boolean>> {
    const file = join(this.home, 'exported.json');
    await this.command('export:workflow', '--all', `--output=${file}`);
    const exported: Array<{ id: string | number; active: boolean }> = JSON.parse(await readFile(file, 'utf8'));
    return Object.fromEntries(exported.map(({ id, active }) => [String(id), active]));
  }

  /** Runs a workflow with `n8n execute`; returns the output items of the node. */
  async execute(id: string, node: string): Promise<Array<Record<string, any>>> {
    const { stdout, stderr } = await execa(
      this.runtime.node,
      [this.runtime.n8n, 'execute', `--id=${id}`, '--rawOutput'],
      {
        env: this.environment,
        extendEnv: false,
        stdin: 'ignore',
        timeout: 120_000,
        reject: false,
      },
    );
    const json = /^\{$.*^\}$/ms.exec(stdout)?.[0];
    if (json === undefined) throw new Error(`n8n execute --id=${id} printed no result:\n${stdout}\n${stderr}`);
    const { runData } = JSON.parse(json).data.resultData;
    return runData[node][0].data.main[0].map((item: { json: object }) => item.json);
  }

  /** Starts n8n; resolves when it is ready and each of these webhooks refuses a request without the token. */
  async start(webhooks: string[]): Promise<void> {
    this.supervised = new Supervised(
      {
        name: `n8n ${this.runtime.version}`,
        component: 'main',
        command: this.runtime.node,
        args: [this.runtime.n8n],
        environment: this.environment,
        cwd: this.home,
        logFile: join(this.home, 'n8n.log'),
        graceSeconds: 30,
      },
      this.events,
    );
    this.supervised.start();
    const end = Date.now() + 120_000;
    for (const webhook of webhooks) {
      while ((await this.status(webhook)) !== 403) {
        if (this.listDeaths().length > 0 || Date.now() > end) {
          const what = this.listDeaths()[0] ?? 'does not register the webhook within 120 s';
          throw new Error(`n8n ${this.runtime.version}, ${webhook}: ${what}\n${await this.lastLines()}`);
        }
        await sleep(250);
      }
    }
  }

  private async status(webhook: string): Promise<number | undefined> {
    return this.call(webhook, {}).then(
      ({ status }) => status,
      () => undefined,
    );
  }

  /** Sends a GET to a webhook, with the token unless `headers` are given. */
  async call(webhook: string, headers: Record<string, string> = { 'x-load-target-token': this.token }) {
    const start = performance.now();
    const response = await fetch(`${this.url}/webhook/${webhook}`, { headers, signal: AbortSignal.timeout(30_000) });
    const body = await response.text();
    return { status: response.status, body, timings: { duration: performance.now() - start } };
  }

  /** Sends a GET with the token; throws with the end of n8n's log unless the status is 200. */
  async callSuccessfully(webhook: string) {
    const response = await this.call(webhook);
    if (response.status === 200) return response;
    throw new Error(`${webhook}: HTTP ${response.status}, ${response.body}\n${await this.lastLines()}`);
  }

  /** Number of executions of a workflow with this end in n8n's event log. */
  countExecutions(workflow: string, ended: 'success' | 'failed'): number {
    return readFileSync(join(this.home, '.n8n', 'n8nEventLog.log'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as LoggedEvent)
      .filter(({ eventName, payload }) => eventName === `n8n.workflow.${ended}` && payload?.workflowId === workflow)
      .length;
  }

  /** The log of n8n so far, including that of its command line. */
  readLog(): string[] {
    return ['commands.log', 'n8n.log'].flatMap((name) => readFileSync(join(this.home, name), 'utf8').split('\n'));
  }

  /** Exit code or signal of n8n, once it has ended. */
  listDeaths(): string[] {
    return this.events.all.filter(({ kind }) => kind === 'died').map(({ detail }) => detail);
  }

  /** Ends n8n. It can be started again. */
  async stop(): Promise<void> {
    await this.supervised?.stop(30);
  }

  /** Ends n8n and removes its files. */
  async remove(): Promise<void> {
    await this.stop();
    await rm(this.home, { recursive: true, force: true });
  }

  private async lastLines(): Promise<string> {
    return lastLines(await readLogTail(join(this.home, 'n8n.log')), 20);
  }
}
