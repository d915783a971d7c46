import { UsageError } from '../../core/errors.js';
import { HIDDEN, withoutSecrets } from '../../plan/redact.js';
import { isLoopback } from '../../plan/custom-workflow/side-effects.js';
import type { PostgresAddress, RedisAddress } from '../../model/deployment.js';
import { N8nApi } from './api.js';

/** Prefix of the names of everything that a run creates in an n8n. */
export const NAME_PREFIX = 'n8n-capacity: ';

/** The flags that name an n8n, as commander parses them. */
export interface TargetOptions {
  url?: string;
  allowHttp?: boolean;
  metricsUrl?: string[];
  redisUrl?: string;
  postgresUrl?: string;
}

/** The API of the n8n that the flags name, with the key in N8N_API_KEY. Throws UsageError. */
export function createApi({ url, allowHttp }: TargetOptions, env: NodeJS.ProcessEnv = process.env): N8nApi {
  if (url === undefined)
    throw new UsageError('--url is missing; set it to the address of n8n, as https://n8n.example.org.');
  const address = httpUrl(url, '--url');
  if (address.search || address.hash || address.username)
    throw new UsageError(`--url: must contain only a scheme, a host and a path, as in https://n8n.example.org.`);
  if (address.protocol === 'http:' && !isLoopback(url) && address.hostname !== 'localhost' && !allowHttp)
    throw new UsageError(
      `--url ${url}: would send the API key unencrypted; use https, or add --allow-http on a trusted network.`,
    );
  const key = env.N8N_API_KEY;
  if (!key)
    throw new UsageError(
      'N8N_API_KEY is not set; create a key in n8n (Settings, n8n API) and export it. Never pass it as an argument.',
    );
  return new N8nApi(address.href.replace(/\/+$/, ''), key);
}

/** URLs of /metrics, one for each process that starts executions. Throws UsageError. */
export const metricsUrls = ({ metricsUrl = [] }: TargetOptions): string[] =>
  metricsUrl.map((url) => httpUrl(url, '--metrics-url').href);

/** Bull's Redis, from `--redis-url` or N8N_REDIS_URL. Throws UsageError, whose message holds no password. */
export function readRedisAddress(
  { redisUrl }: TargetOptions,
  env: NodeJS.ProcessEnv = process.env,
): RedisAddress | undefined {
  const url = secretUrl(redisUrl, '--redis-url', 'N8N_REDIS_URL', env, /^redis:$/, 'Redis; write redis://host:6379');
  if (!url) return undefined;
  const [, database = ''] = /^\/(\d*)$/.exec(url.pathname || '/') ?? [];
  if (url.pathname.length > 1 && database === '')
    throw new UsageError(
      `--redis-url: the path "${url.pathname}" is not allowed; write the number of the database, such as redis://host:6379/2.`,
    );
  return {
    host: url.hostname,
    port: Number(url.port || 6379),
    ...(url.username && { user: decodeURIComponent(url.username) }),
    ...(url.password && { password: decodeURIComponent(url.password) }),
    ...(database && { database: Number(database) }),
  };
}

/** n8n's PostgreSQL, from `--postgres-url` or N8N_POSTGRES_URL. Throws UsageError, whose message holds no password. */
export function postgresAt(
  { postgresUrl }: TargetOptions,
  env: NodeJS.ProcessEnv = process.env,
): PostgresAddress | undefined {
  const what = 'PostgreSQL; write postgresql://user@host:5432/database';
  const url = secretUrl(postgresUrl, '--postgres-url', 'N8N_POSTGRES_URL', env, /^postgres(ql)?:$/, what);
  return (
    url && {
      host: url.hostname,
      port: Number(url.port || 5432),
      user: decodeURIComponent(url.username) || 'postgres',
      password: decodeURIComponent(url.password),
      database: decodeURIComponent(url.pathname.slice(1)) || 'n8n',
      ...(url.searchParams.has('sslmode') && { ssl: url.searchParams.get('sslmode') !== 'disable' }),
    }
  );
}

/** A URL from a flag or the environment. With a password only from the environment: every user can read arguments. */
function secretUrl(
  given: string | undefined,
  flag: string,
  variable: string,
  env: NodeJS.ProcessEnv,
  protocol: RegExp,
  what: string,
): URL | undefined {
  const text = given ?? env[variable];
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !protocol.test(url.protocol))
    throw new UsageError(`${given === undefined ? variable : flag}: is not a URL of ${what}.`);
  if (given !== undefined && url.password)
    throw new UsageError(`${flag}: contains a password, and every user can read arguments; set ${variable} instead.`);
  return url;
}

function httpUrl(text: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(
    `${name}: "${withoutSecrets(text, HIDDEN)}" is not an http URL; write it as https://n8n.example.org.`,
  );
}
