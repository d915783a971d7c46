/** Where a Redis server listens. */
export interface RedisNode {
  /** Name or address; never a URL. */
  host: string;
  port: number;
}

/** One queue of Bull, and how to reach the Redis that holds it. */
export interface QueueAddress {
  /** One server and the number of its database, or some nodes of a Redis Cluster, which has no databases. */
  redis: (RedisNode & { database: number }) | { nodes: RedisNode[] };
  /** Absent: Redis's `default` user. */
  user?: string;
  password?: string;
  /** TLS when present; `ca`, in PEM, is trusted instead of the authorities that Node knows. */
  tls?: { ca?: string };
  /** As n8n has it in `QUEUE_BULL_PREFIX`, without the braces of a Redis Cluster. */
  prefix: string;
  queue: string;
}

/**
 * What every key of the queue begins with, before `:queue:`. In a Redis Cluster the keys of a queue must share a slot,
 * which braces bring about: n8n adds them, and so does this.
 */
export function keyPrefix({ redis, prefix }: Pick<QueueAddress, 'redis' | 'prefix'>): string {
  if (!('nodes' in redis)) return prefix;
  return `${prefix.startsWith('{') ? '' : '{'}${prefix}${prefix.endsWith('}') ? '' : '}'}`;
}

/** The queue as keys and messages name it: `bull:jobs`. */
export const queueName = (address: QueueAddress): string => `${keyPrefix(address)}:${address.queue}`;

/** The Redis as messages name it: `Redis at localhost:6379 (database 1)`. */
export function redisName({ redis }: QueueAddress): string {
  if ('nodes' in redis) return `Redis Cluster at ${redis.nodes.map(nodeName).join(', ')}`;
  return `Redis at ${nodeName(redis)}${redis.database === 0 ? '' : ` (database ${redis.database})`}`;
}

/** `host:port`, an IPv6 address in brackets. */
export const nodeName = ({ host, port }: RedisNode): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** A name or address without what would make it a URL: a password typed there must not end up in a message. */
const HOST = /^[A-Za-z0-9._:%-]+$/;
const NODE = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d+)$/;

/** Throws when it is not a host name or an IP address. The value is not repeated: it may be a URL with a password. */
export function readHost(name: string, text: string): string {
  const host = text.trim();
  if (!HOST.test(host)) throw new Error(`${name} must be a host name or an IP address, without redis:// or a password`);
  return host;
}

/** Reads `host:port, [::1]:port`. Throws when an entry is something else. */
export function readNodes(name: string, text: string): RedisNode[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.filter(Boolean).map((entry, i) => {
    const [, ipv6, host, port] = NODE.exec(entry) ?? [];
    if (!port || Number(port) < 1 || Number(port) > 65_535) {
      throw new Error(`${name}, entry ${i + 1}: must be host:port, such as redis-0:6379`);
    }
    return { host: readHost(`${name}, entry ${i + 1}`, ipv6 ?? host ?? ''), port: Number(port) };
  });
}
