import { ParameterError } from '../../shared/parameters';

/** The address of a Redis server. */
export interface RedisNode {
  /** Host name or IP address, never a URL. */
  host: string;
  port: number;
}

/** A queue of Bull, and the Redis that holds it. */
export interface QueueAddress {
  /** One server and the number of its database, or one or more nodes of a Redis Cluster, which has no databases. */
  redis: (RedisNode & { database: number }) | { nodes: RedisNode[] };
  /** Without it, Redis's `default` user. */
  user?: string;
  password?: string;
  /** Present if TLS is used. `ca`, in PEM, is trusted in place of the authorities that Node knows. The certificate must
   * be for `servername` if it is given, otherwise for the host. */
  tls?: { ca?: string; servername?: string };
  /** As in n8n's `QUEUE_BULL_PREFIX`, without the braces of a Redis Cluster. */
  prefix: string;
  queue: string;
}

/**
 * The part of every key of the queue before `:queue:`. In a Redis Cluster the keys of a queue must share a slot, which
 * braces achieve; n8n adds them, too.
 */
export function keyPrefix({ redis, prefix }: Pick<QueueAddress, 'redis' | 'prefix'>): string {
  if (!('nodes' in redis)) return prefix;
  return `${prefix.startsWith('{') ? '' : '{'}${prefix}${prefix.endsWith('}') ? '' : '}'}`;
}

/** The name of the queue in keys and messages, for example `bull:jobs`. */
export const queueName = (address: QueueAddress): string => `${keyPrefix(address)}:${address.queue}`;

/** The name of the Redis in messages, for example `Redis at localhost:6379 (database 1)`. */
export function redisName({ redis }: QueueAddress): string {
  if ('nodes' in redis) return `Redis Cluster at ${redis.nodes.map(nodeName).join(', ')}`;
  return `Redis at ${nodeName(redis)}${redis.database === 0 ? '' : ` (database ${redis.database})`}`;
}

/** `host:port`, with an IPv6 address in brackets. */
export const nodeName = ({ host, port }: RedisNode): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** A host name or IP address. A URL is refused, because it may hold a password, which must not appear in a message. */
const HOST = /^[A-Za-z0-9._:%-]+$/;
const NODE = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d+)$/;

/**
 * Reads a host name or an IP address.
 * @throws ParameterError that does not repeat the value, which may be a URL with a password
 */
export function readHost(name: string, text: string): string {
  const host = text.trim();
  if (!HOST.test(host)) {
    throw new ParameterError(
      name,
      `${name} is not a host name or an IP address`,
      'Write it without redis:// and without a password.',
    );
  }
  return host;
}

/**
 * Reads a list such as `host:port, [::1]:port`.
 * @throws ParameterError that names the entry
 */
export function readNodes(name: string, text: string): RedisNode[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.filter(Boolean).map((entry, i) => {
    const [, ipv6, host, port] = NODE.exec(entry) ?? [];
    if (!port || Number(port) < 1 || Number(port) > 65_535) {
      throw new ParameterError(
        name,
        `Entry ${i + 1} of ${name} is not host:port`,
        'Write host:port, such as redis-0:6379, separated by commas.',
      );
    }
    return { host: readHost(`${name}, entry ${i + 1}`, ipv6 ?? host ?? ''), port: Number(port) };
  });
}
