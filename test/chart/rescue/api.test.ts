import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api, ApiError, Metrics, serve } from './files.js';

/** Beside test/integration/rescue.test.ts, with a real n8n: what that one answers to nobody. */

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const asked: IncomingMessage[] = [];
const urlOf = (of: Server) => `http://127.0.0.1:${(of.address() as AddressInfo).port}`;
/** For the test that waits for it. A busy machine may need longer for an answer, so the others have a generous one. */
const SHORT_DEADLINE = 100;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => void asked.splice(0));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const api = (deadline = 30_000) => new Api(`${urlOf(server)}/api/v1`, 'key', deadline);

test('lists are read page by page, until one is enough', async () => {
  answer = ({ url }, response) => {
    const page = Number(new URL(url!, 'http://n8n').searchParams.get('cursor') ?? 0);
    const nodes = [{ type: page === 2 ? 'n8n-nodes-base.wait' : 'n8n-nodes-base.webhook' }];
    response.end(JSON.stringify({ data: [{ id: page, nodes }], nextCursor: page < 3 ? String(page + 1) : null }));
  };
  const waits = [false, false, true, false].map((each, i): [string, { waits: boolean }] => [
    String(i),
    { waits: each },
  ]);
  expect(await api().taggedWorkflows('rescue')).toEqual(new Map(waits));
  expect(asked.map(({ headers }) => headers['x-n8n-api-key'])).toEqual(Array(4).fill('key'));
  expect(asked[0]!.url).toBe('/api/v1/workflows?tags=rescue&limit=20&excludePinnedData=true');
  const listed = await api().executions({ status: 'crashed' }, (page) => page[0]?.id === 1);
  expect(listed.map(({ id }) => id)).toEqual([0, 1]);
});

test('an n8n that does not answer is not waited for, but a retry is', async () => {
  answer = (_, response) => void sleep(3 * SHORT_DEADLINE).then(() => response.end('{}'));
  await expect(api(SHORT_DEADLINE).executions({})).rejects.toThrow('no answer within 0.1 s');
  await expect(api(SHORT_DEADLINE).retry('7')).resolves.toBeUndefined();
  expect([asked[1]!.method, asked[1]!.url]).toEqual(['POST', '/api/v1/executions/7/retry']);
});

test("an error contains n8n's message, without the key", async () => {
  answer = (_, response) => response.writeHead(403).end('Forbidden');
  const error: unknown = await api()
    .retry('7')
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 403, message: 'POST /executions/7/retry: 403 Forbidden' });
});

test('health and metrics', async () => {
  let isAlive = true;
  const served = serve(0, new Metrics(), () => isAlive);
  await once(served, 'listening');
  const url = urlOf(served);
  const status = async (path: string) => (await fetch(`${url}${path}`)).status;
  expect([await status('/healthz'), await status('/metrics'), await status('/')]).toEqual([200, 200, 404]);
  isAlive = false;
  expect(await status('/healthz')).toBe(503);
  served.closeAllConnections();
  served.close();
});
