import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { N8nApi } from '../../../../capacity/src/provision/existing/api.js';
import { readArrivals } from '../../../../capacity/src/provision/existing/arrivals.js';

const NOW = Date.UTC(2026, 10, 20, 12);
const minutesAgo = (n: number) => new Date(NOW - n * 60_000).toISOString();
const execution = (workflowId: string, startedAt: string | null, mode = 'webhook') => ({ workflowId, startedAt, mode });

/** Newest first. The last page must not be asked for. */
const PAGES = [
  [execution('a', minutesAgo(1)), execution('a', null), execution('a', minutesAgo(200), 'manual')],
  [
    execution('b', minutesAgo(300), 'trigger'),
    execution('a', minutesAgo(301)),
    execution('c', minutesAgo(302), 'integrated'),
  ],
  [execution('old', minutesAgo(2000))],
];

let server: Server;
const asked: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    if (!request.url!.startsWith('/api/v1/executions')) return void response.writeHead(404).end();
    asked.push(request.url!);
    const page = Number(new URL(request.url!, 'http://x').searchParams.get('cursor') ?? 0);
    const nextCursor = page + 1 < 9 ? String(page + 1) : null;
    response.end(JSON.stringify({ data: PAGES[page] ?? [], nextCursor }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void server.close());

test('executions of the API are read until they are too old, without those that are no arrivals', async () => {
  const api = new N8nApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'key');
  const recording = await readArrivals(api, NOW - 1000 * 60_000);
  expect(asked).toHaveLength(3);
  expect(recording).toMatchObject({
    from: minutesAgo(301),
    workflows: [
      { id: 'a', count: 1, offsets: [0] },
      { id: 'b', count: 1, offsets: [60] },
    ],
  });
});
