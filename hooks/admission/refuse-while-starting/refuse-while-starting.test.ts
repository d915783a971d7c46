import { once } from 'node:events';
import { createServer, Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

const { refuseUntilReady } = createRequire(import.meta.url)('./index.js') as {
  refuseUntilReady: () => () => void;
};

test('an n8n that starts refuses production paths alone, and none from then on', async () => {
  const ready = refuseUntilReady();
  const server = createServer((_, response) => response.end('served'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answerTo = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(method === 'POST' && { body: 'x' }),
    });
    return { status: response.status, retry: response.headers.get('retry-after'), text: await response.text() };
  };
  const served = { status: 200, retry: null, text: 'served' };
  const refused = { status: 503, retry: '5', text: expect.stringContaining('starting') };
  expect(await answerTo('/webhook/x', 'POST')).toEqual(refused);
  expect(await answerTo('/webhook-waiting/7')).toEqual(refused);
  expect(await answerTo('/healthz/readiness')).toEqual(served);
  expect(await answerTo('/rest/settings')).toEqual(served);
  ready();
  expect(await answerTo('/webhook/x', 'POST')).toEqual(served);
  server.closeAllConnections();
  server.close();
});

test('it leaves the servers as they were, and what others changed meanwhile', () => {
  const emit = () => Object.getOwnPropertyDescriptor(Server.prototype, 'emit');
  const before = emit();
  refuseUntilReady()();
  expect(emit()).toEqual(before);
  const ready = refuseUntilReady();
  const traced = { value: () => true, configurable: true, writable: true };
  Object.defineProperty(Server.prototype, 'emit', traced);
  ready();
  expect(emit()).toMatchObject(traced);
  delete (Server.prototype as Partial<Server>).emit;
});
