import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Bull from 'bull';
import pg from 'pg';
import { chartFolder } from '../../../capacity/src/core/paths.js';
import { terminalProgress } from '../../../capacity/src/core/progress.js';
import type { Deployment } from '../../../capacity/src/model/deployment.js';
import { readPostgresAddress } from '../../../capacity/src/observe/postgres.js';
import { processProvisioner } from '../../../capacity/src/provision/process/process-provisioner.js';
import { buildPlan } from '../../capacity/support/index.js';
import { recoveryImports, PARENT_PATH } from './workflows.js';

/** Minutes between two checks; the minimum of n8n. */
const INTERVAL_MINUTES = 1;

/** n8n in queue mode with its database, its queue and one worker that takes one execution at a time. */
export class RecoveryDeployment {
  private constructor(
    /** Version of n8n. */
    readonly n8n: string,
    private readonly deployment: Deployment,
    private readonly database: pg.Client,
    private readonly queue: Bull.Queue,
    private readonly logs: string,
  ) {}

  /** @param batchSize most executions that a check reads */
  static async start(batchSize: number): Promise<RecoveryDeployment> {
    const recovery = 'executions.recovery';
    const set = [
      ...[`${recovery}.intervalMinutes=${INTERVAL_MINUTES}`, `${recovery}.batchSize=${batchSize}`],
      ...['worker.replicas=1', 'worker.concurrency=1', 'webhook.replicas=1', 'logging.level=debug'],
    ];
    const driven = {
      imports: (token: string) => Promise.resolve(recoveryImports(token)),
      webhook: { path: PARENT_PATH },
    };
    const values = { files: [join(chartFolder, 'profiles', 'queue.yaml')], set };
    const prepared = await processProvisioner({ driven }).prepare(buildPlan({ values }), terminalProgress(true));
    const logs = mkdtempSync(join(tmpdir(), 'recovery-logs-'));
    const deployment = await prepared.deploy(logs);
    const { environment } = deployment.injector!;
    const database = new pg.Client(readPostgresAddress(environment));
    await database.connect();
    const redis = {
      host: environment.QUEUE_BULL_REDIS_HOST!,
      port: Number(environment.QUEUE_BULL_REDIS_PORT),
      password: environment.QUEUE_BULL_REDIS_PASSWORD!,
    };
    const queue = new Bull('jobs', { redis, prefix: environment.QUEUE_BULL_PREFIX ?? 'bull' });
    return new RecoveryDeployment(prepared.versions.n8n, deployment, database, queue, logs);
  }

  /** Ends the only worker, so that waiting executions stay in the queue. */
  async endWorker(): Promise<void> {
    await this.deployment.injector!.scaleIn(new AbortController().signal);
  }

  /** Starts the parent, whose sub-workflow runs for longer than the time until a check. It keeps the only worker busy. */
  async startParent(): Promise<void> {
    const { endpoints, token } = this.deployment.access;
    const answer = await fetch(`${endpoints[0]}${PARENT_PATH}`, { headers: { 'x-load-target-token': token } });
    if (!answer.ok) throw new Error(`the parent was not started: ${answer.status}`);
  }

  /** Adds executions that wait in database and queue. */
  async addBacklog(count: number): Promise<void> {
    const ids = await this.insert(count, 'new', null);
    await this.queue.addBulk(ids.map((executionId) => ({ name: 'job', data: { executionId, loadStaticData: false } })));
  }

  /** Adds executions that run according to the database, but are not in the queue. Returns their ids. */
  addLost = (count: number): Promise<string[]> => this.insert(count, 'running', new Date(Date.now() - 60_000));

  private async insert(count: number, status: string, startedAt: Date | null): Promise<string[]> {
    const { rows } = await this.database.query<{ id: string }>(
      `INSERT INTO execution_entity (finished, mode, status, "workflowId", "createdAt", "startedAt")
       SELECT false, 'webhook', $2::text, w.id, now(), $3::timestamptz FROM workflow_entity w, generate_series(1, $1::int)
       WHERE w.name = 'child' RETURNING id::text`,
      [count, status, startedAt],
    );
    return rows.map(({ id }) => id);
  }

  /** Number of these executions with a status. */
  async countWithStatus(ids: string[], status: string): Promise<number> {
    const { rows } = await this.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM execution_entity WHERE id = ANY($1::int[]) AND status = $2',
      [ids, status],
    );
    return rows[0]!.count;
  }

  /** Status of the newest execution of the sub-workflow that ran; undefined before there is one. */
  async statusOfChild(): Promise<string | undefined> {
    const { rows } = await this.database.query<{ status: string }>(
      `SELECT e.status FROM execution_entity e JOIN workflow_entity w ON w.id = e."workflowId"
       WHERE w.name = 'child' AND e.mode = 'integrated' ORDER BY e.id DESC LIMIT 1`,
    );
    return rows[0]?.status;
  }

  /** Number of checks that main has ended. */
  checks(): number {
    const main = this.deployment.record.instances.find(({ component }) => component === 'main')!;
    return readFileSync(join(this.logs, `${main.name}.log`), 'utf8').split('Completed queue recovery check').length - 1;
  }

  /** Milliseconds that main takes for an answer now; more if its thread is busy. */
  async answer(): Promise<number> {
    const from = performance.now();
    const { N8N_PORT } = this.deployment.injector!.environment;
    await fetch(`http://127.0.0.1:${N8N_PORT}/healthz`);
    return performance.now() - from;
  }

  /** Removes the added executions and jobs. */
  async clear(): Promise<void> {
    await this.queue.empty();
    await this.database.query(`DELETE FROM execution_entity WHERE mode = 'webhook' AND status IN ('new', 'crashed')`);
    await this.database.query(
      `DELETE FROM execution_entity WHERE mode = 'webhook' AND status = 'running' AND "createdAt" > "startedAt"`,
    );
  }

  async end(): Promise<void> {
    await this.queue.close(true);
    await this.database.end();
    await this.deployment.teardown();
    rmSync(this.logs, { recursive: true });
  }
}
