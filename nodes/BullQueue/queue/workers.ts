import { Cluster } from 'ioredis';
import { nodeName } from './address';
import type { QueueConnection } from './connection';

/** A connection by which a worker takes jobs from the queue. */
export interface Worker {
  /** The name that Bull gives the connection: prefix and queue in base64, the same for all workers. */
  name: string;
  /** `host:port` as Redis sees it: unlike the name, different for each worker. */
  address: string;
  /** The node that the worker is connected to, in a cluster. */
  node?: string;
  /** Seconds since it connected. */
  connectedSeconds: number;
  /** Seconds since it last asked for a job. A worker with nothing to do asks every 5 s, one that is full does not ask. */
  idleSeconds: number;
}

/**
 * The workers connected now. Each has one such connection, whatever its concurrency; a main process or a webhook
 * processor, which adds jobs, has none. A Redis Cluster is asked node by node: a worker's name is on any one of them.
 */
export function readWorkers(connection: QueueConnection): Promise<Worker[]> {
  return connection.ask(async ({ queue, client }) => {
    const name = queue.clientName();
    if (!(client instanceof Cluster)) return workersIn(await listClients(client), name);
    const lists = await Promise.all(
      client.nodes().map(async (node) => {
        const { host = '', port = 0 } = node.options;
        const workers = workersIn(await listClients(node), name);
        return workers.map((worker) => ({ ...worker, node: nodeName({ host, port }) }));
      }),
    );
    return lists.flat();
  });
}

const listClients = (node: { client(command: 'LIST'): Promise<unknown> }): Promise<unknown> => node.client('LIST');

/**
 * Those in the answer of CLIENT LIST whose name is `name`, BullMQ's `name:…` included. Not Bull's own getWorkers: it
 * also takes a queue for another whose name only begins the same.
 */
export function workersIn(list: unknown, name: string): Worker[] {
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
