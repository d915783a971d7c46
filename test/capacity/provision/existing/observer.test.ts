import { jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ExecutionsObserver, MetricsObserver } from '../../../../capacity/src/provision/existing/observer.js';

let startedAt = Date.now() / 1000 - 3600;
/** Milliseconds. */
let clockAhead = 0;
let server: Server;
let observer: MetricsObserver;

beforeAll(async () => {
  server = createServer((_, response) => {
    response.setHeader('date', new Date(Date.now() + clockAhead).toUTCString());
    response.end(metrics());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  const { port } = server.address() as AddressInfo;
  observer = new MetricsObserver(
    [{ name: 'n8n', component: 'main', limits: {} }],
    [`http://127.0.0.1:${port}/metrics`],
  );
});
afterAll(() => void server.close());

const metrics = () =>
  [
    '# TYPE n8n_process_start_time_seconds gauge',
    `n8n_process_start_time_seconds ${startedAt}`,
    '# TYPE n8n_workflow_started_total counter',
    'n8n_workflow_started_total{workflow_id="1"} 5',
    '',
  ].join('\n');

test('a process that starts while it is observed has replaced one that died; an older one behind a balancer has not', async () => {
  const look = async () => (await observer.look(2000)).events.map(({ instance, kind }) => [instance, kind]);
  expect(await look()).toEqual([]);
  startedAt -= 60;
  expect(await look()).toEqual([]);
  startedAt = Date.now() / 1000 + 2;
  expect(await look()).toEqual([['n8n', 'died']]);
  expect(await look()).toEqual([]);
});

test('the start of a process is compared with the clock of its own machine', async () => {
  clockAhead = -600_000;
  startedAt = Date.now() / 1000 - 3600;
  expect((await observer.look(2000)).events).toEqual([]);
  // Ten minutes ago by the clock of this machine: after the first look.
  startedAt = (Date.now() + clockAhead) / 1000 + 2;
  expect((await observer.look(2000)).events).toMatchObject([{ kind: 'died' }]);
});

test('processes behind one address are counted each by itself', async () => {
  const incarnation = async () => (await observer.look(2000)).instances[0]!.incarnation;
  startedAt = 1_000;
  const first = await incarnation();
  startedAt = 900;
  expect(await incarnation()).not.toBe(first);
  startedAt = 1_000;
  expect(await incarnation()).toBe(first);
});

test('an existing workflow of which only failures are saved has no count', async () => {
  const look = async (...statuses: string[]) => {
    const page = statuses.map((status, i) => ({ id: `${i + 11}`, status }));
    const api = { executions: () => [page] };
    const executions = new ExecutionsObserver({ name: 'n8n', component: 'main', limits: {} }, api as never, ['1'], 10);
    return (await executions.look(1000)).instances[0]!.metrics!.counting;
  };
  expect(await look('error', 'success')).toBe(true);
  expect(await look('error')).toBe(false);
  expect(await look()).toBe(false);
});

test('an execution that ends after a thousand newer ones is counted', async () => {
  jest.useFakeTimers({ now: 0 });
  const list = Array.from({ length: 1000 }, (_, i) => ({ id: `${2000 - i}`, status: 'success' }));
  const pages = () =>
    Array.from({ length: Math.ceil(list.length / 250) }, (_, i) => list.slice(i * 250, i * 250 + 250));
  let read = 0;
  const api = {
    *executions() {
      for (const page of pages()) {
        read++;
        yield page;
      }
    },
  };
  const executions = new ExecutionsObserver({ name: 'n8n', component: 'main', limits: {} }, api as never, ['1']);
  const look = async () => (await executions.look(1000)).instances[0]!.metrics!.succeeded.get('1');
  expect(await look()).toBe(1000);
  list.push({ id: '900', status: 'success' });
  read = 0;
  // The newest pages alone, until older ones are read again.
  expect([await look(), read]).toEqual([1000, 2]);
  jest.advanceTimersByTime(10_000);
  expect(await look()).toBe(1001);
  // However long the list is, a reading ends.
  list.unshift(...Array.from({ length: 20_000 }, (_, i) => ({ id: `${22_000 - i}`, status: 'success' })));
  expect(await look()).toBe(21_001);
  jest.advanceTimersByTime(10_000);
  read = 0;
  await look();
  expect(read).toBe(40);
  jest.useRealTimers();
});
