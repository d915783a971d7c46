import { UsageError } from '../../core/errors.js';
import { isLoopback } from '../../plan/custom-workflow/side-effects.js';
import type { PostgresAddress } from '../../observe/postgres.js';
import type { RedisAddress } from '../../model/deployment.js';
import { N8nApi } from './api.js';

/** Everything that a run leaves in an n8n has a name that begins so, until it is removed. */
export const NAME_PREFIX = 'n8n-capacity: ';

/** The flags that name an n8n, as commander hands them over. */
export interface TargetOptions {
  url?: string;
  allowHttp?: boolean;
  metricsUrl?: string[];
  redisUrl?: string;
  postgresUrl?: string;
}

/** Opens the API of the n8n that the flags name, with the key in N8N_API_KEY. Throws UsageError. */
export function apiOf({ url, allowHttp }: TargetOptions, env: NodeJS.ProcessEnv = process.env): N8nApi {
  if (url === undefined) throw new UsageError('--url is missing; give the address of n8n, as https://n8n.example.org.');
  const address = httpUrl(url, '--url');
  if (address.search || address.hash || address.username)
    throw new UsageError(`--url: only a scheme, a host and a path are allowed, as in https://n8n.example.org.`);
  if (address.protocol === 'http:' && !isLoopback(url) && address.hostname !== 'localhost' && !allowHttp)
    throw new UsageError(
      `--url ${url}: the API key would go over the network in plain text; use https, or --allow-http where the network is trusted.`,
    );
  const key = env.N8N_API_KEY;
  if (!key)
    throw new UsageError(
      'N8N_API_KEY is not set; make a key in n8n (Settings, n8n API) and put it into the environment, never into an argument.',
    );
  return new N8nApi(address.href.replace(/\/+$/, ''), key);
}

/** Addresses of /metrics, one for each process that starts executions. Throws UsageError. */
export const metricsUrls = ({ metricsUrl = [] }: TargetOptions): string[] =>
  metricsUrl.map((url) => httpUrl(url, '--metrics-url').href);

/** Bull's Redis, from `--redis-url` or N8N_REDIS_URL. Throws UsageError, without showing a password. */
export function redisOf({ redisUrl }: TargetOptions, env: NodeJS.ProcessEnv = process.env): RedisAddress | undefined {
  const url = secretUrl(redisUrl, '--redis-url', 'N8N_REDIS_URL', env, /^redis:$/, 'a Redis; write redis://host:6379');
  return (
    url && {
      host: url.hostname,
      port: Number(url.port || 6379),
      ...(url.password && { password: decodeURIComponent(url.password) }),
    }
  );
}

/** n8n's PostgreSQL, from `--postgres-url` or N8N_POSTGRES_URL. Throws UsageError, without showing a password. */
export function postgresAt(
  { postgresUrl }: TargetOptions,
  env: NodeJS.ProcessEnv = process.env,
): PostgresAddress | undefined {
  const what = 'a PostgreSQL; write postgresql://user@host:5432/database';
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

/** A URL from a flag, or from the environment where it holds a password: arguments can be read by every user. */
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
    throw new UsageError(`${given === undefined ? variable : flag}: is no address of ${what}.`);
  if (given !== undefined && url.password)
    throw new UsageError(`${flag}: a password in an argument can be read by every user; put it into ${variable}.`);
  return url;
}

function httpUrl(text: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`${name}: "${text}" is no URL; write one as in https://n8n.example.org.`);
}
