import { createRequire } from 'node:module';
import { join } from 'node:path';
import { messageOf } from '../core/errors.js';

/** The part of `sqlite3` that is used. */
interface Sqlite {
  OPEN_READONLY: number;
  Database: new (file: string, mode: number, done: (error: Error | null) => void) => SqliteDatabase;
}
interface SqliteDatabase {
  all(sql: string, parameters: unknown[], done: (error: Error | null, rows: unknown[]) => void): void;
  close(done: (error: Error | null) => void): void;
}

/**
 * Reads rows of n8n's SQLite on its own connection, with the driver of that n8n. In WAL mode, which n8n uses, readers and the
 * writer do not block each other. Rejects when the file cannot be read.
 * @param environment of n8n
 * @param n8n path of n8n's entry point
 */
export async function querySqlite<Row>(
  environment: Record<string, string>,
  n8n: string,
  sql: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  const { Database, OPEN_READONLY } = createRequire(n8n)('sqlite3') as Sqlite;
  const file = join(environment.N8N_USER_FOLDER ?? '', '.n8n', environment.DB_SQLITE_DATABASE || 'database.sqlite');
  const database = await new Promise<SqliteDatabase>((resolve, reject) => {
    const opened: SqliteDatabase = new Database(file, OPEN_READONLY, (error) =>
      error ? reject(new Error(messageOf(error))) : resolve(opened),
    );
  });
  try {
    return await new Promise<Row[]>((resolve, reject) =>
      database.all(sql, parameters, (error, rows) => (error ? reject(error) : resolve(rows as Row[]))),
    );
  } finally {
    await new Promise<void>((resolve) => database.close(() => resolve()));
  }
}
