import { BullQueueApi } from '../../credentials/BullQueueApi.credentials';
import { BullQueue } from '../../nodes/BullQueue/BullQueue.node';
import { addressOf } from '../../nodes/BullQueue/credential';
import { rates, summary } from '../../nodes/BullQueue/operations/stats';
import { queueName, redisName } from '../../nodes/BullQueue/queue/address';
import { listed } from '../../nodes/BullQueue/queue/find';
import { explain } from '../../nodes/BullQueue/queue/problem';
import { workersIn } from '../../nodes/BullQueue/queue/workers';
import { credential, run } from './queue/execution';

describe('the credential', () => {
  test('its defaults are where n8n looks for its queue', () => {
    const defaults = Object.fromEntries(new BullQueueApi().properties.map(({ name, default: value }) => [name, value]));
    expect(defaults).toEqual(credential());
    expect(addressOf(credential())).toEqual({
      redis: { host: 'localhost', port: 6379, database: 0 },
      prefix: 'bull',
      queue: 'jobs',
    });
  });

  test('everything filled in', () => {
    const fields = {
      host: ' ::1 ',
      port: '6380',
      database: 2,
      user: 'reader',
      password: ' secret ',
      tls: true,
    };
    const address = addressOf(credential(fields));
    expect(address).toMatchObject({
      redis: { host: '::1', port: 6380, database: 2 },
      user: 'reader',
      password: ' secret ',
      tls: {},
    });
    expect(redisName(address)).toBe('Redis at [::1]:6380 (database 2)');
  });

  test('CA certificate without TLS is not used, TLS without it trusts the public authorities', () => {
    expect(addressOf(credential({ ca: 'PEM' })).tls).toBeUndefined();
    expect(addressOf(credential({ tls: true })).tls).toEqual({});
  });

  test('cluster nodes replace host, port and database, and bring braces as in n8n', () => {
    const address = addressOf(
      credential({ clusterNodes: 'redis-0:7000, [::1]:7001,', host: undefined, port: undefined }),
    );
    expect(address.redis).toEqual({
      nodes: [
        { host: 'redis-0', port: 7000 },
        { host: '::1', port: 7001 },
      ],
    });
    expect(redisName(address)).toBe('Redis Cluster at redis-0:7000, [::1]:7001');
    expect(queueName(address)).toBe('{bull}:jobs');
    expect(queueName({ ...address, prefix: '{bull}' })).toBe('{bull}:jobs');
  });

  test.each([
    [{ host: '' }, 'Host of the credential must be a host name or an IP address, without redis:// or a password'],
    [{ host: 'redis://:geheim@redis' }, 'Host of the credential must be a host name or an IP address'],
    [{ port: 0 }, 'Port of the credential is 0: must be a whole number from 1 to 65535'],
    [{ port: 'redis' }, 'Port of the credential is "redis"'],
    [{ database: -1 }, 'Database of the credential is -1'],
    [{ clusterNodes: 'redis-0' }, 'Cluster Nodes of the credential, entry 1: must be host:port, such as redis-0:6379'],
    [{ clusterNodes: 'a:1, b:70000' }, 'Cluster Nodes of the credential, entry 2'],
    [{ clusterNodes: ':geheim@redis:6379' }, 'Cluster Nodes of the credential, entry 1'],
    [{ tls: true, ca: 'geheim' }, 'CA Certificate of the credential is none in PEM'],
    [{ prefix: ' ' }, 'Prefix of the credential is empty'],
    [{ queue: '' }, 'Queue of the credential is empty'],
  ])('%j is refused, and no password repeated', (fields, message) => {
    let error = '';
    try {
      addressOf(credential(fields));
    } catch (thrown) {
      error = (thrown as Error).message;
    }
    expect(error).toContain(message);
    expect(error).not.toContain('geheim');
  });
});

describe('parameters', () => {
  const defaults = Object.fromEntries(
    new BullQueue().description.properties.map(({ name, default: value }) => [name, value]),
  );

  test.each([
    [{ operation: 'flush' }, 'Operation is "flush": must be one of stats, jobs, workers, waitUntilDrained'],
    [{ operation: 'stats', window: 60_001 }, 'Window is 60001: must be a number from 0 to 60000 ms'],
    [{ operation: 'jobs', state: 'stuck' }, 'State is "stuck": must be one of waiting, active'],
    [{ operation: 'jobs', limit: 0 }, 'Limit is 0: must be a whole number from 1 to 1000 jobs'],
    [{ operation: 'jobs', limit: 1001 }, 'Limit is 1001'],
    [{ operation: 'jobs', offset: -1 }, 'Offset is -1'],
    [{ operation: 'waitUntilDrained', timeout: 3601 }, 'Timeout is 3601: must be a number from 0 to 3600 s'],
    [{ operation: 'waitUntilDrained', pollInterval: 99 }, 'Poll Interval is 99: must be a number from 100 to 60000 ms'],
  ])('%j is refused before anything is asked', async (parameters, message) => {
    const execution = {
      parameters: [{ ...defaults, ...parameters }],
      credential: credential({ host: 'nowhere.invalid' }),
    };
    await expect(run(execution)).rejects.toMatchObject({
      name: 'NodeOperationError',
      message: expect.stringContaining(message),
      context: { itemIndex: 0 },
    });
  });
});

describe('stats', () => {
  const counts = { waiting: 3, active: 2, delayed: 1, paused: 0, completed: 0, failed: 0, added: 6, isPaused: false };

  test('nothing has ended: no completed jobs is what it says', () => {
    expect(summary(counts)).toEqual({ ...counts, exists: true, finished: 0 });
  });

  test('ended jobs that are not kept may have completed or failed', () => {
    expect(summary({ ...counts, added: 106 })).toMatchObject({
      completed: null,
      failed: null,
      finished: 100,
      note: expect.stringContaining('100 of 100 finished jobs are not kept'),
    });
  });

  test('what is kept is counted, with a note on the rest', () => {
    expect(summary({ ...counts, added: 106, failed: 5 })).toMatchObject({
      completed: null,
      failed: 5,
      note: expect.stringContaining('95 of 100 finished jobs are not kept'),
    });
    const all = summary({ ...counts, added: 106, completed: 100 });
    expect(all).toMatchObject({ completed: 100, failed: 0 });
    expect(all).not.toHaveProperty('note');
  });

  test('a counter that was lost makes no negative number', () => {
    expect(summary({ ...counts, added: 0 })).toMatchObject({ exists: false, finished: 0 });
  });

  test('rates: 10 added in 2 s, the backlog up by 4, so 6 finished', () => {
    const last = { ...counts, added: 16, waiting: 7 };
    expect(rates(counts, last, 2000)).toEqual({
      windowMs: 2000,
      waitingPerSecond: 2,
      addedPerSecond: 5,
      finishedPerSecond: 3,
    });
  });
});

describe('workers', () => {
  const list = [
    'id=3 addr=127.0.0.1:50000 laddr=127.0.0.1:6379 name=bull:am9icw== age=12 idle=3 flags=b db=0 cmd=brpoplpush',
    'id=4 addr=127.0.0.1:50001 name= age=12 idle=3 flags=N',
    'id=5 addr=127.0.0.1:50002 name=bull:am9icw==x age=1 idle=1',
    'id=6 addr=[::1]:50003 name=bull:am9icw==:w:reports age=1 idle=0',
    '',
  ].join('\n');

  test('are those with the name of the queue, or of one of its BullMQ workers', () => {
    expect(workersIn(list, 'bull:am9icw==')).toEqual([
      { name: 'bull:am9icw==', address: '127.0.0.1:50000', connectedSeconds: 12, idleSeconds: 3 },
      { name: 'bull:am9icw==:w:reports', address: '[::1]:50003', connectedSeconds: 1, idleSeconds: 0 },
    ]);
  });
});

describe('problems', () => {
  const address = { ...addressOf(credential()), password: 'geheim' };

  test('Redis repeats what it does not know: never the password', () => {
    const error = new Error("ERR unknown command 'AUTH', with args beginning with: 'geheim'");
    expect(explain(error, address).message).toBe(
      "Redis at localhost:6379 gave an error while bull:jobs was read: ERR unknown command 'AUTH', " +
        "with args beginning with: '***'.",
    );
  });

  test('job data that is no JSON is not repeated', () => {
    let error: unknown;
    try {
      JSON.parse('private letter');
    } catch (thrown) {
      error = thrown;
    }
    expect(explain(error, address).message).not.toContain('private');
  });

  test('a long list of queues is cut', () => {
    expect(listed(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe('a, b, c, d, e and 2 more');
  });
});
