import { getDefaultAutoSelectFamily } from 'node:net';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { QueueAddress } from './address';

/** Milliseconds for a server to close the connection. After that its socket is destroyed. */
const GOODBYE_MS = 100;

/**
 * A client for one server or a cluster, not connected yet. It never retries.
 * @param answerMs time limit for connecting, in milliseconds
 */
export function newClient({ redis, user, password, tls }: QueueAddress, answerMs: number): Redis | Cluster {
  const options: RedisOptions & { disconnectTimeout: number } = {
    // Node 20 and newer tries all addresses of a name. Older versions use IPv4, because `localhost` is often ::1 first.
    family: getDefaultAutoSelectFamily?.() ? 0 : 4,
    ...(user && { username: user }),
    ...(password && { password }),
    ...(tls && { tls: { ...tls } }),
    lazyConnect: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectTimeout: answerMs,
    disconnectTimeout: GOODBYE_MS,
  };
  if (!('nodes' in redis)) return new Redis({ ...options, host: redis.host, port: redis.port, db: redis.database });
  return new Cluster(redis.nodes, {
    redisOptions: options,
    clusterRetryStrategy: () => null,
    enableReadyCheck: false,
    lazyConnect: true,
    // Leaves time to ask every node, one after another.
    slotsRefreshTimeout: Math.floor(answerMs / (redis.nodes.length + 1)),
    // TLS certificates hold host names, so TLS needs the names, not the addresses.
    dnsLookup: (address, found) => found(null, address),
  });
}
