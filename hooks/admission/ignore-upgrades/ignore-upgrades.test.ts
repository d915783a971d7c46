import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

const hook = createRequire(import.meta.url)('./index.js') as {
  bind: (context: { server: Server }, env: Record<string, string>) => void;
};
/** A Node that asks first, and one that does not: the test runs on one, and pretends to be the other. */
const hasCallback = 'shouldUpgradeCallback' in createServer();

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** What a server with a WebSocket at /rest/push answers to a request for an upgrade. */
async function answerTo(head: string, body = '') {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk)).on('end', () => response.end(`served ${request.url} ${text}`));
  });
  // As n8n does: all other paths are not answered.
  server.on('upgrade', ({ url }: { url: string }, socket: Duplex) => {
    if (url === '/rest/push') socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  });
  hook.bind({ server }, {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  socket.write(`${head}\r\nHost: n\r\nConnection: Upgrade, close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  await once(socket, 'close');
  return text;
}

const H2C = 'HTTP/1.1\r\nHTTP2-Settings: AAMAAABk\r\nUpgrade: h2c';
const WEBSOCKET = 'HTTP/1.1\r\nUpgrade: WebSocket';

test.each([
  `GET /webhook/a ${H2C}`,
  `GET /rest/login ${H2C}`,
  `GET /webhook/a ${WEBSOCKET}`,
  `GET /webhook-waiting-slack ${WEBSOCKET}`,
  `GET /rest/login ${WEBSOCKET}, h2c`,
])('%j is served as if it asked for no upgrade', async (head) => {
  const text = await answerTo(head);
  expect(text).toMatch(/^HTTP\/1.1 200/);
  expect(text).toContain(`served ${head.split(' ')[1]}`);
});

test('a body behind it is read where Node can, and else the client is told', async () => {
  const text = await answerTo(`POST /webhook/a ${H2C}`, 'body');
  if (hasCallback) expect(text).toContain('served /webhook/a body');
  else expect(text).toMatch(/^HTTP\/1.1 400 .*Send the request without the header Upgrade/s);
});

test("the editor's WebSocket is n8n's", async () =>
  expect(await answerTo(`GET /rest/push ${WEBSOCKET}`)).toMatch(/^HTTP\/1.1 101/));
