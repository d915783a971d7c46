import type { Progress } from '../core/progress.js';
import type { DatabaseSource, PostgresAddress } from '../model/deployment.js';
import type { DatabaseLook } from '../model/sample.js';
import type pg from 'pg';
import { messageOf } from '../core/errors.js';
import { CounterIncrease } from './counter.js';
import { createPostgresClient } from './postgres-client.js';

/** Milliseconds to connect, and again to read: a look must not delay the next sample. */
const ANSWER_MS = 500;
const APPLICATION = 'n8n-capacity';

/**
 * PostgreSQL's statistics (`pg_stat_database`, `pg_stat_activity`): one row for each state and wait event of the connections,
 * and one row if there are no connections.
 */
const LOOK_QUERY = `
  SELECT d.xact_commit + d.xact_rollback AS transactions, d.tup_inserted + d.tup_updated + d.tup_deleted AS rows, a.state, a.wait_event_type AS wait, count(a.pid)::int AS connections
  FROM pg_stat_database d
  LEFT JOIN pg_stat_activity a
    ON a.datid = d.datid AND a.backend_type = 'client backend' AND a.application_name <> $1
  WHERE d.datname = current_database()
  GROUP BY 1, 2, 3, 4`;

/** A row of that query; bigint values are text. */
interface ActivityRow {
  transactions: string;
  /** Rows written: inserted, updated or deleted. */
  rows: string;
  state: string | null;
  wait: string | null;
  connections: number;
}

/** The PostgreSQL in n8n's environment; undefined for SQLite, and for TLS, which may need certificate files. */
export function readPostgresAddress(environment: Record<string, string>): PostgresAddress | undefined {
  if (environment.DB_TYPE !== 'postgresdb' || environment.DB_POSTGRESDB_SSL_ENABLED === 'true') return undefined;
  return {
    host: environment.DB_POSTGRESDB_HOST ?? 'localhost',
    port: Number(environment.DB_POSTGRESDB_PORT ?? 5432),
    user: environment.DB_POSTGRESDB_USER ?? 'postgres',
    password: environment.DB_POSTGRESDB_PASSWORD ?? '',
    database: environment.DB_POSTGRESDB_DATABASE ?? 'n8n',
  };
}

/** Watches n8n's database over one connection. Reads PostgreSQL's statistics, but none of n8n's tables. */
export class PostgresWatch implements DatabaseSource {
  private client: pg.Client | undefined;
  private hasReportedProblem = false;
  private readonly transactionCounter = new CounterIncrease();
  private readonly writtenRowCounter = new CounterIncrease();
  private looks = 0;
  private transactions = 0;

  /** @param onProblem called once with the reason when PostgreSQL does not answer; the next look reconnects */
  constructor(
    private readonly address: PostgresAddress,
    private readonly onProblem: (why: string) => void,
  ) {}

  async look(): Promise<DatabaseLook | undefined> {
    try {
      this.client ??= await this.connect();
      const { rows } = await this.client.query<ActivityRow>(LOOK_QUERY, [APPLICATION]);
      return {
        transactions: this.countTransactions(rows),
        rowsWritten: this.countRowsWritten(rows),
        ...countConnections(rows),
      };
    } catch (error) {
      void this.close();
      if (!this.hasReportedProblem) this.onProblem(messageOf(error));
      this.hasReportedProblem = true;
      return undefined;
    }
  }

  async close(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => {});
  }

  private countRowsWritten([row]: ActivityRow[]): number {
    this.writtenRowCounter.observe(Number(row!.rows));
    return this.writtenRowCounter.total;
  }

  private async connect(): Promise<pg.Client> {
    const client = await createPostgresClient({
      ...this.address,
      application_name: APPLICATION,
      connectionTimeoutMillis: ANSWER_MS,
      statement_timeout: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    await client.connect();
    return client;
  }

  /** Number of transactions without those of the looks themselves, which PostgreSQL may count a second late. */
  private countTransactions([row]: ActivityRow[]): number {
    this.transactionCounter.observe(Number(row!.transactions));
    this.transactions = Math.max(this.transactions, this.transactionCounter.total - this.looks++);
    return this.transactions;
  }
}

/** Counts the connections of a look by state, and those that wait by the kind of event. */
export function countConnections(rows: ActivityRow[]): Pick<DatabaseLook, 'connections' | 'waiting'> {
  const connections = { active: 0, idle: 0, inTransaction: 0, other: 0 };
  const waiting: Record<string, number> = {};
  for (const { state, wait, connections: n } of rows) {
    const what = classifyState(state);
    connections[what] += n;
    if (wait !== null && (what === 'active' || what === 'inTransaction')) waiting[wait] = (waiting[wait] ?? 0) + n;
  }
  return { connections, waiting };
}

function classifyState(state: string | null): keyof DatabaseLook['connections'] {
  if (state === 'active' || state === 'idle') return state;
  return state?.startsWith('idle in transaction') ? 'inTransaction' : 'other';
}

/** Watches a PostgreSQL; prints once why its statistics are unavailable. */
export const createPostgresWatch = (address: PostgresAddress, progress: Progress): DatabaseSource =>
  new PostgresWatch(address, (why) => progress.line(`  PostgreSQL statistics are unavailable: ${why}`));
