import { getDefaultAutoSelectFamily } from 'node:net';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { QueueAddress } from './address';

/** Milliseconds that a server gets to say goodbye; then its socket is destroyed. */
const GOODBYE_MS = 100;

/**
 * A client that is not connected yet, for one server or a cluster. It never tries again: what fails, fails at once.
 * @param answerMs milliseconds to connect in
 */
export function newClient({ redis, user, password, tls }: QueueAddress, answerMs: number): Redis | Cluster {
  const options: RedisOptions & { disconnectTimeout: number } = {
    // Where Node tries all addresses of a name (from 20), any; else IPv4, since `localhost` often is ::1 first.
    family: getDefaultAutoSelectFamily?.() ? 0 : 4,
    ...(user && { username: user }),
    ...(password && { password }),
    ...(tls && { tls: { ...(tls.ca && { ca: tls.ca }) } }),
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
    // Leaves time to ask every node in turn.
    slotsRefreshTimeout: Math.floor(answerMs / (redis.nodes.length + 1)),
    // Names, not addresses, go to TLS, whose certificates name names.
    dnsLookup: (address, found) => found(null, address),
  });
}
