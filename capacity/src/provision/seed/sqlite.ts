import { quoteIdentifier } from '../../core/sql.js';
import { DATA, DAYS, workflowData, type Seed } from './rows.js';

/** A Julian day as n8n's SQLite tables have times. */
const text = (julianDay: string) => `strftime('%Y-%m-%d %H:%M:%f', ${julianDay})`;

type Statement = [sql: string, values: unknown[]];

function statements(prefix: string, { executions, workflowId }: Seed): Statement[] {
  const [entity, executionData] = [
    quoteIdentifier(`${prefix}execution_entity`),
    quoteIdentifier(`${prefix}execution_data`),
  ];
  return [
    ['BEGIN IMMEDIATE', []],
    [
      `WITH RECURSIVE series(i) AS (SELECT ?1 UNION ALL SELECT i - 1 FROM series WHERE i > 1),
       times(at) AS (SELECT julianday('now') - ${DAYS}.0 * i / ?1 FROM series)
       INSERT INTO ${entity} (finished, mode, status, workflowId, createdAt, startedAt, stoppedAt)
       SELECT 1, 'webhook', 'success', ?2, ${text('at')}, ${text('at')}, ${text('at')} FROM times`,
      [executions, workflowId],
    ],
    [
      `INSERT INTO ${executionData} (executionId, workflowData, data)
       SELECT id, ?1, ?2 FROM ${entity} WHERE id NOT IN (SELECT executionId FROM ${executionData})`,
      [workflowData(workflowId), DATA],
    ],
    ['COMMIT', []],
  ];
}

/** The program waits for a statement of n8n for so long: n8n waits for these rows in turn, for seconds. */
const BUSY_MS = 30_000;

/** Runs statements with n8n's own driver; the first that fails ends it with 1 and undoes the others. */
const PROGRAM = `
const { createRequire } = require('node:module');
const { existsSync, realpathSync } = require('node:fs');
const { homedir } = require('node:os');
const { delimiter, join } = require('node:path');

const { PATH, N8N_USER_FOLDER, DB_SQLITE_DATABASE } = process.env;
const onPath = () => PATH.split(delimiter).map((folder) => join(folder, 'n8n')).find(existsSync);
const { Database } = createRequire(realpathSync(n8n ?? onPath()))('sqlite3');
const failed = (error) => {
  if (!error) return;
  console.error(error.message);
  process.exit(1);
};
const file = join(N8N_USER_FOLDER || homedir(), '.n8n', DB_SQLITE_DATABASE || 'database.sqlite');
const database = new Database(file, failed);
database.configure('busyTimeout', ${BUSY_MS});
database.serialize(() => {
  for (const [sql, values] of statements) database.run(sql, values, failed);
  database.close(failed);
});
`;

/**
 * A program for the standard input of `node -`, to run where n8n's SQLite file is, with n8n's environment: it puts executions
 * that have succeeded into the file.
 * @param prefix of n8n's tables
 * @param n8n path of n8n's entry point; undefined: the `n8n` on PATH
 */
export function sqliteProgram(prefix: string, seed: Seed, n8n?: string): string {
  const given = { statements: statements(prefix, seed), n8n };
  return `const { statements, n8n } = ${JSON.stringify(given)};\n${PROGRAM}`;
}
