import type { QueueConnection } from '../../../nodes/BullQueue/queue/connection';

type Answer = string | number | null | Array<string | null>;
type Argument = string | number;

/** A job of a fake queue. */
export interface FakeJob {
  id: string;
  timestamp: number;
  priority?: number;
  data?: object;
}

/** The first and the last index of a range of Redis, in which -1 is the last. */
const slice = <Entry>(entries: Entry[], first: Argument, last: Argument): Entry[] => {
  const from = (place: Argument) => (Number(place) < 0 ? entries.length + Number(place) : Number(place));
  return entries.slice(Math.max(0, from(first)), from(last) + 1);
};

/**
 * The commands of Redis that the node's readers use, in memory. `beforeEach` is called before each command or transaction.
 */
export class FakeRedis {
  beforeEach: () => void = () => undefined;
  /** The first entry of a list is its head. */
  readonly lists = new Map<string, string[]>();
  readonly sortedSets = new Map<string, Map<string, number>>();
  readonly hashes = new Map<string, Record<string, string>>();
  readonly texts = new Map<string, string>();
  /** How many keys a SCAN goes through before those of Bull. */
  otherKeys = 0;

  private readonly commands: Record<string, (key: string, ...rest: Argument[]) => Answer> = {
    get: (key) => this.texts.get(key) ?? null,
    exists: (key) => (this.texts.has(key) ? 1 : 0),
    llen: (key) => this.list(key).length,
    lrange: (key, first, last) => slice(this.list(key), first, last),
    lindex: (key, place) => slice(this.list(key), place, place)[0] ?? null,
    lpos: (key, id) => (this.list(key).includes(String(id)) ? this.list(key).indexOf(String(id)) : null),
    zcard: (key) => this.sorted(key).length,
    zcount: (key, min, max) => this.sorted(key).filter(([, score]) => score >= +min && score <= +max).length,
    zscore: (key, id) => this.sortedSets.get(key)?.get(String(id))?.toString() ?? null,
    zrange: (key, first, last) => slice(this.sorted(key), first, last).map(([id]) => id),
    zrevrange: (key, first, last) => slice(this.sorted(key).reverse(), first, last).map(([id]) => id),
    zrangebyscore: (key, min) => {
      const above = Number(String(min).replace('(', '').replace('-inf', '-Infinity'));
      const found = this.sorted(key).find(([, score]) =>
        String(min).startsWith('(') ? score > above : score >= above,
      );
      return found ? [found[0], String(found[1])] : [];
    },
    hget: (key, field) => this.hashes.get(key)?.[field] ?? null,
    hmget: (key, ...fields) => fields.map((field) => this.hashes.get(key)?.[field] ?? null),
    pttl: () => -2,
    sismember: () => 0,
  };

  /** What BullQueue calls a connection to the queue `bull:jobs`. */
  get connection(): QueueConnection {
    const single = Object.entries(this.commands).map(([name, run]) => [
      name,
      (key: string, ...rest: Argument[]) => {
        this.beforeEach();
        return Promise.resolve(run(key, ...rest));
      },
    ]);
    const client = {
      ...Object.fromEntries(single),
      multi: () => this.atOnce(),
      pipeline: () => this.atOnce(),
      scan: (cursor: string) => Promise.resolve(this.scan(Number(cursor))),
    };
    const queue = { toKey: (key: string) => `bull:jobs:${key}`, multi: () => this.atOnce() };
    const address = { redis: { host: 'fake', port: 6379, database: 0 }, prefix: 'bull', queue: 'jobs' };
    const ask = async (request: (access: unknown) => unknown) => request({ client, queue });
    return { address, ask } as unknown as QueueConnection;
  }

  /** Adds a waiting job as Bull does; the next job is the last of the list. */
  add(job: FakeJob, queue = 'bull:jobs'): void {
    const { id, priority = 0 } = job;
    this.put(job, queue);
    const list = this.list(`${queue}:wait`);
    this.lists.set(`${queue}:wait`, list);
    const priorities = this.sortedSets.get(`${queue}:priority`) ?? new Map<string, number>();
    this.sortedSets.set(`${queue}:priority`, priorities);
    if (priority > 0) priorities.set(id, priority);
    const ahead = [...priorities.values()].filter((other) => other <= priority).length - 1;
    list.splice(priority > 0 ? list.length - ahead : 0, 0, id);
  }

  /** Stores a job that is in no list yet. */
  put({ id, timestamp, priority = 0, data = {} }: FakeJob, queue = 'bull:jobs'): void {
    const fields = { data: JSON.stringify(data), timestamp: `${timestamp}`, priority: `${priority}` };
    this.hashes.set(`${queue}:${id}`, fields);
    this.texts.set(`${queue}:id`, String(Number(this.texts.get(`${queue}:id`) ?? 0) + 1));
  }

  /** A worker takes the next job. */
  take(queue = 'bull:jobs'): void {
    const id = this.list(`${queue}:wait`).pop();
    if (id === undefined) return;
    this.sortedSets.get(`${queue}:priority`)?.delete(id);
    this.lists.set(`${queue}:active`, [id, ...this.list(`${queue}:active`)]);
  }

  /** Scans like Redis with COUNT 1000. */
  private scan(cursor: number): [next: string, keys: string[]] {
    if (cursor + 1000 < this.otherKeys) return [`${cursor + 1000}`, []];
    return ['0', [...this.texts.keys()].filter((key) => key.endsWith(':id'))];
  }

  private list = (key: string): string[] => this.lists.get(key) ?? [];
  private sorted = (key: string): Array<[string, number]> =>
    [...(this.sortedSets.get(key) ?? [])].sort(([, one], [, other]) => one - other);

  /** A transaction or pipeline. */
  private atOnce(): unknown {
    const added: Array<() => Answer> = [];
    const chain: object = new Proxy(
      {},
      {
        get: (_, name: string) => {
          if (name !== 'exec')
            return (key: string, ...rest: Argument[]) => {
              added.push(() => this.commands[name]!(key, ...rest));
              return chain;
            };
          return () => {
            this.beforeEach();
            return Promise.resolve(added.map((run) => [null, run()]));
          };
        },
      },
    );
    return chain;
  }
}
