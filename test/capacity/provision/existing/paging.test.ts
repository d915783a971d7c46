import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { N8nApi } from '../../../../capacity/src/provision/existing/api.js';

let server: Server;
let asked: number;
beforeEach(async () => {
  asked = 0;
  server = createServer((request, response) => {
    asked++;
    const { searchParams } = new URL(request.url!, 'http://x');
    response.end(
      JSON.stringify(searchParams.get('cursor') === 'b' ? { data: ['c'] } : { data: ['a'], nextCursor: 'b' }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => void server.close());

test('a list goes on while an answer has a cursor, and ends where one has none', async () => {
  const api = new N8nApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'key');
  const pages = [];
  for await (const page of api.startedExecutions()) pages.push(page);
  expect(pages).toEqual([['a'], ['c']]);
  expect(asked).toBe(2);
});
