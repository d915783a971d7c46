import type { Progress } from '../core/progress.js';
import type { DatabaseSource, PostgresAddress } from '../model/deployment.js';
import type { DatabaseLook } from '../model/sample.js';
import type pg from 'pg';
import { messageOf } from '../core/errors.js';
import { Increase } from './counter.js';
import { newClient } from './postgres-client.js';

/** Milliseconds to connect, and again to read: a look must not delay the next sample. */
const ANSWER_MS = 500;
const APPLICATION = 'n8n-capacity';

/**
 * PostgreSQL's statistics (`pg_stat_database`, `pg_stat_activity`): one row for each state and wait event of the connections,
 * and one row if there are no connections.
 */
const LOOK = `
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
export function postgresOf(environment: Record<string, string>): PostgresAddress | undefined {
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
  private complained = false;
  private readonly counted = new Increase();
  private readonly countedRows = new Increase();
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
      const { rows } = await this.client.query<ActivityRow>(LOOK, [APPLICATION]);
      return { transactions: this.count(rows), rowsWritten: this.countWritten(rows), ...connectionsOf(rows) };
    } catch (error) {
      void this.close();
      if (!this.complained) this.onProblem(messageOf(error));
      this.complained = true;
      return undefined;
    }
  }

  async close(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => {});
  }

  private countWritten([row]: ActivityRow[]): number {
    this.countedRows.observe(Number(row!.rows));
    return this.countedRows.total;
  }

  private async connect(): Promise<pg.Client> {
    const client = await newClient({
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
  private count([row]: ActivityRow[]): number {
    this.counted.observe(Number(row!.transactions));
    this.transactions = Math.max(this.transactions, this.counted.total - this.looks++);
    return this.transactions;
  }
}

/** Counts the connections of a look by state, and those that wait by the kind of event. */
export function connectionsOf(rows: ActivityRow[]): Pick<DatabaseLook, 'connections' | 'waiting'> {
  const connections = { active: 0, idle: 0, inTransaction: 0, other: 0 };
  const waiting: Record<string, number> = {};
  for (const { state, wait, connections: n } of rows) {
    const what = stateOf(state);
    connections[what] += n;
    if (wait !== null && (what === 'active' || what === 'inTransaction')) waiting[wait] = (waiting[wait] ?? 0) + n;
  }
  return { connections, waiting };
}

function stateOf(state: string | null): keyof DatabaseLook['connections'] {
  if (state === 'active' || state === 'idle') return state;
  return state?.startsWith('idle in transaction') ? 'inTransaction' : 'other';
}

/** Watches a PostgreSQL; prints once why its statistics are unavailable. */
export const watchPostgres = (address: PostgresAddress, progress: Progress): DatabaseSource =>
  new PostgresWatch(address, (why) => progress.line(`  PostgreSQL statistics are unavailable: ${why}`));
