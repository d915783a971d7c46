import { Cluster } from 'ioredis';
import { nodeName } from './address';
import type { QueueConnection } from './connection';

/** The connection through which a worker takes jobs from the queue. */
export interface Worker {
  /** Bull's name of the connection: prefix and queue in base64, the same for all workers. */
  name: string;
  /** `host:port` as Redis sees it, different for each worker. */
  address: string;
  /** In a cluster, the node that the worker is connected to. */
  node?: string;
  /** Seconds since the worker connected. */
  connectedSeconds: number;
  /** Seconds since it last asked for a job. An idle worker asks every 5 s, a full one does not ask. */
  idleSeconds: number;
}

/**
 * The workers that are connected now. Each has one such connection, whatever its concurrency. Main processes and webhook
 * processors, which only add jobs, have none. In a Redis Cluster every node is asked, because a worker may be connected to
 * any one of them.
 */
export function readWorkers(connection: QueueConnection): Promise<Worker[]> {
  return connection.ask(async ({ queue, client }) => {
    const name = queue.clientName();
    if (!(client instanceof Cluster)) return parseWorkers(await listClients(client), name);
    const lists = await Promise.all(
      client.nodes().map(async (node) => {
        const { host = '', port = 0 } = node.options;
        const workers = parseWorkers(await listClients(node), name);
        return workers.map((worker) => ({ ...worker, node: nodeName({ host, port }) }));
      }),
    );
    return lists.flat();
  });
}

const listClients = (node: { client(command: 'LIST'): Promise<unknown> }): Promise<unknown> => node.client('LIST');

/**
 * The clients in the answer of CLIENT LIST whose name is `name`, or BullMQ's `name:…`. Bull's own getWorkers is not used: it
 * also returns workers of queues whose name only begins the same.
 */
export function parseWorkers(list: unknown, name: string): Worker[] {
  return String(list)
    .split('\n')
    .map((line) => new Map(line.split(' ').map((field) => splitOnce(field, '='))))
    .filter((client) => client.get('name') === name || client.get('name')?.startsWith(`${name}:`))
    .map((client) => ({
      name: client.get('name') ?? '',
      address: client.get('addr') ?? '',
      connectedSeconds: Number(client.get('age')),
      idleSeconds: Number(client.get('idle')),
    }));
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
