import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchMetrics } from '../../../capacity/src/observe/metrics.js';

const page = await readFile(new URL('../../../bench/sampler/n8n-metrics.txt', import.meta.url), 'utf8');
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function startServer(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
}

test('fetchMetrics reads the answer of n8n 2.41.1', async () => {
  const metrics = await fetchMetrics(await startServer((_, response) => response.end(page)), 5000);
  expect(metrics).toMatchObject({ counting: true, version: '2.41.1', pool: { pending: 0 } });
  expect([...metrics!.succeeded]).toEqual([['1001', 15]]);
  expect(metrics!.heapUsedBytes).toBeGreaterThan(10 * 2 ** 20);
  expect(metrics!.eventLoopLagP99Seconds).toBeGreaterThan(0);
  expect(metrics!.process!.rssBytes).toBeGreaterThan(metrics!.heapUsedBytes!);
});

test.each<[string, RequestListener]>([
  ['another status', (_, response) => response.writeHead(404).end(page)],
  ['no answer in time', () => {}],
  ['half an answer in time', (_, response) => void response.write(page.slice(0, 1000))],
  ['a broken connection', (request) => request.socket.destroy()],
])('%s is none', async (_, listener) => {
  expect(await fetchMetrics(await startServer(listener), 200)).toBeUndefined();
});

test.each([undefined, 'http://127.0.0.1:1/metrics', 'no address'])('%s is none', async (url) => {
  expect(await fetchMetrics(url, 200)).toBeUndefined();
});
