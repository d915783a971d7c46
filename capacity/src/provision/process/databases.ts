import { LOOPBACK } from '../../core/loopback.js';
import { quoteIdentifier } from '../../core/sql.js';
import { EnvironmentFault, UsageError } from '../../core/errors.js';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

/** A command that runs an embedded database on this host as its image does in the cluster. */
export interface DatabaseCommand {
  command: string;
  args: string[];
}

/** What the chart sets that decides what Redis costs and takes; n8n's queue depends on each. */
const HONOURED = /^\s*(appendonly (yes|no)|appendfsync \w+|maxmemory \w+|maxmemory-policy [\w-]+)$/gm;

/**
 * Redis as in the chart's pod, with the password in a file instead of the arguments.
 * @param rendered the container's arguments, which hold its configuration
 */
export async function redisCommand(
  server: string,
  folder: string,
  port: number,
  environment: Record<string, string>,
  rendered: string[],
): Promise<DatabaseCommand> {
  const config = join(folder, 'redis.conf');
  const password = environment.REDIS_PASSWORD;
  const honoured =
    rendered
      .join('\n')
      .match(HONOURED)
      ?.map((line) => line.trim()) ?? [];
  const lines = [
    `bind ${LOOPBACK}`,
    `port ${port}`,
    `dir ${quotedForRedis(folder)}`,
    'save ""',
    ...honoured,
    'daemonize no',
  ];
  if (password) lines.push(`requirepass ${quotedForRedis(password)}`);
  await writeFile(config, `${lines.join('\n')}\n`, { mode: 0o600 });
  return { command: server, args: [config] };
}

/** Text as one argument of Redis's configuration: a line break in it would begin another directive, such as `loadmodule`. */
const quotedForRedis = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;

/**
 * A name in SQL. The single-user mode of PostgreSQL takes a line for a statement, and a superuser's statements run programs.
 * @param what the name of the variable, for the error
 */
function requireName(name: string, what: string): string {
  if (/^[^\p{Cc}]{1,63}$/u.test(name)) return quoteIdentifier(name);
  throw new UsageError(
    `${what}=${JSON.stringify(name)}: is not allowed; write 1 to 63 characters without control characters.`,
  );
}

/** PostgreSQL refuses to run as root; in a user namespace root has another id and still owns the data folder. */
const asUnprivileged = () =>
  process.getuid?.() === 0 ? ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'] : [];

/**
 * PostgreSQL as the image's entrypoint sets it up, with POSTGRES_USER, _PASSWORD and _DB.
 * @param bin folder of `initdb` and `postgres`
 * @throws EnvironmentFault when it cannot be set up, UsageError for names that are not allowed
 */
export async function postgresCommand(
  bin: string,
  folder: string,
  port: number,
  environment: Record<string, string>,
  args: string[],
): Promise<DatabaseCommand> {
  const {
    POSTGRES_USER: user = 'postgres',
    POSTGRES_PASSWORD: password = '',
    POSTGRES_DB: database = user,
  } = environment;
  const names = { database: requireName(database, 'POSTGRES_DB'), user: requireName(user, 'POSTGRES_USER') };
  const data = join(folder, 'pgdata');
  const passwordFile = join(folder, 'password');
  await mkdir(data, { recursive: true, mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  const prefix = asUnprivileged();
  const run = async (command: string[], input?: string) => {
    const [file, ...rest] = [...prefix, ...command];
    const result = await execa(file!, rest, {
      all: true,
      reject: false,
      ...(input === undefined ? { stdin: 'ignore' } : { input }),
    });
    if (result.failed)
      throw new EnvironmentFault(`PostgreSQL could not be set up: ${result.all ?? result.shortMessage}`);
  };
  await run([
    join(bin, 'initdb'),
    '-D',
    data,
    '-U',
    user,
    `--pwfile=${passwordFile}`,
    '-A',
    'scram-sha-256',
    '-E',
    'UTF8',
    '--no-sync',
  ]);
  await run(
    [join(bin, 'postgres'), '--single', '-D', data, 'postgres'],
    `CREATE DATABASE ${names.database} OWNER ${names.user}\n`,
  );
  const [command, ...rest] = [
    ...prefix,
    join(bin, 'postgres'),
    '-D',
    data,
    '-p',
    String(port),
    '-h',
    LOOPBACK,
    '-k',
    folder,
    ...args,
  ];
  return { command: command!, args: rest };
}
