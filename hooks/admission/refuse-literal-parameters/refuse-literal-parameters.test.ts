import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';

const hook = createRequire(import.meta.url)('./index.js') as {
  bind: (context: { server: Server }, env: Record<string, string>) => void;
};

/** The status that a server behind the hook answers for a path, as it is written. */
async function statusOf(path: string, env: Record<string, string> = {}): Promise<number> {
  const server = createServer((_, response) => response.end('n8n'));
  hook.bind({ server }, env);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: n\r\nConnection: close\r\n\r\n`);
    const [data] = (await once(socket, 'data')) as [Buffer];
    return Number(data.toString().split(' ')[1]);
  } finally {
    socket.destroy();
    server.close();
  }
}

test.each([
  '/webhook/orders/:id',
  '/webhook/:id',
  '/webhook/orders/%3Aid',
  '/webhook/orders/%3aid/items',
  '/webhook/orders/%253Aid',
  '/webhook/orders%2f:id',
  '/WEBHOOK/orders/:id?a=b',
  '/webhook\\orders\\:id',
  '//host/webhook/orders/:id',
  'http://n8n.example.com/webhook/orders/:id',
  '/webhook/5f9b3c1e-0000-4000-8000-000000000000/orders/:id',
  '/webhook-waiting/:id',
  '/webhook-test/orders/:id',
  '/form/:id',
  '/mcp/:id/sse',
])('%s is refused', async (path) => expect(await statusOf(path)).toBe(404));

test.each([
  '/webhook/orders/7',
  '/webhook/orders/a:b',
  '/webhook/orders/7?time=:id',
  '/webhook/12:30/x',
  '/rest/workflows/:id',
  '/workflow/:id',
  '/webhook/%E0%A4%A',
])('%s is served', async (path) => expect(await statusOf(path)).toBe(200));

test('the path of webhooks may be another', async () => {
  const env = { N8N_ENDPOINT_WEBHOOK: 'hooks' };
  expect(await statusOf('/hooks/orders/:id', env)).toBe(404);
  expect(await statusOf('/webhook/orders/:id', env)).toBe(200);
});
