import { execa } from 'execa';
import { readPostgresAddress } from '../../observe/postgres.js';
import type { N8nRuntime } from '../../tools/runtimes.js';
import { seedPostgres } from '../seed/postgres.js';
import { seeding, type Seed } from '../seed/rows.js';
import { sqliteProgram } from '../seed/sqlite.js';

/**
 * Puts executions that have succeeded into the database of an n8n.
 * @param environment environment of n8n
 * @throws EnvironmentFault if the database refuses them
 */
export function seedExecutions(
  environment: Record<string, string>,
  runtime: N8nRuntime,
  seed: Seed,
  signal: AbortSignal,
): Promise<void> {
  return seeding(signal, async () => {
    const postgres = readPostgresAddress(environment);
    if (postgres) return seedPostgres(postgres, environment, seed, signal);
    if (environment.DB_TYPE === 'postgresdb') throw new Error('a PostgreSQL with TLS cannot be reached');
    const { N8N_USER_FOLDER, DB_SQLITE_DATABASE, DB_TABLE_PREFIX = '' } = environment;
    const input = sqliteProgram(DB_TABLE_PREFIX, seed, runtime.n8n);
    const env = { N8N_USER_FOLDER, DB_SQLITE_DATABASE };
    const { failed, stderr, shortMessage } = await execa(runtime.node, ['-'], {
      ...{ input, env, extendEnv: false, reject: false, cancelSignal: signal },
    });
    if (failed) throw new Error(stderr || shortMessage);
  });
}
