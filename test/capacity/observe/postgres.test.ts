import { createServer, type AddressInfo } from 'node:net';
import { CounterIncrease } from '../../../capacity/src/observe/counter.js';
import { parseMetrics } from '../../../capacity/src/observe/metrics.js';
import { countConnections, readPostgresAddress, PostgresWatch } from '../../../capacity/src/observe/postgres.js';

test('CounterIncrease keeps the previous count when a counter is reset', () => {
  const counter = new CounterIncrease();
  const totals = [500, 520, 520, 3, 10].map((value) => {
    counter.observe(value);
    return counter.total;
  });
  expect(totals).toEqual([0, 20, 20, 23, 30]);
});

test('countConnections counts connections by state, and the wait events of busy ones', () => {
  const row = (state: string | null, wait: string | null, connections: number) => ({
    ...{ transactions: '9', rows: '20', state, wait, connections },
  });
  expect(
    countConnections([
      row('active', null, 2),
      row('active', 'Lock', 3),
      row('idle', 'Client', 5),
      row('idle in transaction', 'Client', 1),
      row('idle in transaction (aborted)', 'Client', 1),
      row(null, null, 4),
    ]),
  ).toEqual({
    connections: { active: 5, idle: 5, inTransaction: 2, other: 4 },
    waiting: { Lock: 3, Client: 2 },
  });
  expect(countConnections([row(null, null, 0)])).toEqual({
    connections: { active: 0, idle: 0, inTransaction: 0, other: 0 },
    waiting: {},
  });
});

test('parseMetrics reads the pool only if all its values are shown', () => {
  const gauges = {
    n8n_db_pool_connections_active: 2,
    n8n_db_pool_connections_max: 2,
    n8n_db_pool_requests_pending: 7,
  };
  const text = (names: string[]) =>
    Object.entries(gauges)
      .filter(([name]) => names.includes(name))
      .map(([name, value]) => `# TYPE ${name} gauge\n${name} ${value}\n`)
      .join('');
  expect(parseMetrics(text(Object.keys(gauges))).pool).toEqual({ active: 2, size: 2, pending: 7 });
  expect(parseMetrics(text(['n8n_db_pool_connections_active'])).pool).toBeUndefined();
});

test("parseMetrics reads n8n's version", () => {
  const text = '# TYPE n8n_version_info gauge\nn8n_version_info{version="v2.41.1",major="2",minor="41",patch="1"} 1\n';
  expect(parseMetrics(text).version).toBe('2.41.1');
  expect(parseMetrics('').version).toBeUndefined();
});

test.each<[string, Record<string, string>, object | undefined]>([
  [
    'the PostgreSQL of the environment',
    {
      DB_TYPE: 'postgresdb',
      DB_POSTGRESDB_HOST: 'db',
      DB_POSTGRESDB_PORT: '5433',
      DB_POSTGRESDB_USER: 'n8n',
      DB_POSTGRESDB_PASSWORD: 'secret',
      DB_POSTGRESDB_DATABASE: 'flows',
    },
    { host: 'db', port: 5433, user: 'n8n', password: 'secret', database: 'flows' },
  ],
  ['SQLite', { DB_TYPE: 'sqlite' }, undefined],
  ['one behind TLS', { DB_TYPE: 'postgresdb', DB_POSTGRESDB_SSL_ENABLED: 'true' }, undefined],
])('%s', (_, environment, address) => {
  expect(readPostgresAddress(environment)).toEqual(address);
});

test('a PostgreSQL that does not answer gives no look, and is reported once', async () => {
  const said: string[] = [];
  const port = await closedPort();
  const address = { host: '127.0.0.1', port, user: 'n8n', password: 'hunter2', database: 'n8n' };
  const watch = new PostgresWatch(address, (why) => said.push(why));
  expect([await watch.look(), await watch.look()]).toEqual([undefined, undefined]);
  expect(said).toEqual([expect.stringContaining('ECONNREFUSED')]);
  expect(said[0]).not.toContain('hunter2');
  await watch.close();
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
