import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Admission, guard } from './testing.js';

/** Seconds; 500 bytes a second are asked for, so 100 in this time. */
const SECONDS = 0.2;

let server: Server;
let admission: Admission;
let sockets: Socket[];
let reads: boolean;
/** What is answered; the length of the body without it. */
let answer: string | undefined;
const port = () => (server.address() as AddressInfo).port;

async function start(bodySeconds = SECONDS) {
  sockets = [];
  reads = true;
  answer = undefined;
  server = createServer((request, response) => {
    if (!reads) return setTimeout(() => response.end('unread'), 1000);
    let length = 0;
    request.on('data', (chunk: Buffer) => (length += chunk.length));
    request.on('end', () => response.end(answer ?? String(length)));
    // As n8n, which answers when it sees that a request has been aborted.
    request.on('error', () => response.headersSent || response.writeHead(400).end());
  });
  admission = new Admission({ most: 2, line: 5, longest: 5000 });
  guard(server, admission, { bodySeconds });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}
afterEach(() => {
  sockets.forEach((socket) => socket.destroy());
  server.closeAllConnections();
  server.close();
  process.removeAllListeners('SIGTERM');
  process.removeAllListeners('SIGINT');
});

/** Sends the head of a request and a part of its body. */
function begin(length: number, part: string) {
  const socket = connect(port(), '127.0.0.1');
  sockets.push(socket);
  const seen = { text: '' };
  socket.setEncoding('utf8').on('data', (text: string) => (seen.text += text));
  socket.on('error', () => {});
  socket.write(`POST /webhook/a HTTP/1.1\r\nHost: n\r\nContent-Length: ${length}\r\n\r\n${part}`);
  return { socket, seen };
}

test('requests whose body does not arrive lose their places and get 408', async () => {
  await start();
  const idle = Array.from({ length: 2 }, () => begin(1000, 'x'));
  while (admission.underWay < 2) await sleep(5);
  const [answer] = (await once(get({ port: port(), path: '/webhook/a', agent: false }), 'response')) as [
    IncomingMessage,
  ];
  expect(answer.statusCode).toBe(200);
  for (const { socket, seen } of idle) {
    if (!socket.closed) await once(socket, 'close');
    expect(seen.text).toMatch(/^HTTP\/1.1 408 .*Connection: close.*"code":408/s);
  }
  expect(admission.underWay).toBe(0);
});

test('an upload that makes progress is not cut, however long it takes', async () => {
  await start();
  const { socket, seen } = begin(2000, 'x'.repeat(200));
  for (let i = 0; i < 9; i++) {
    await sleep(100);
    socket.write('x'.repeat(200));
  }
  while (!seen.text.includes('\r\n\r\n2000')) await sleep(5);
  expect(seen.text).toMatch(/^HTTP\/1.1 200/);
});

test('a single byte now and then does not count as progress', async () => {
  await start();
  const { socket, seen } = begin(2000, 'x');
  const drip = setInterval(() => socket.write('x'), 50);
  await once(socket, 'close');
  clearInterval(drip);
  expect(seen.text).toMatch(/^HTTP\/1.1 408/);
});

test('an upload that n8n does not read is not cut: its client waits for n8n', async () => {
  await start();
  reads = false;
  const { seen } = begin(50_000_000, 'x'.repeat(20_000_000));
  await sleep(5 * 1000 * SECONDS + 300);
  expect(seen.text).toMatch(/^HTTP\/1.1 200/);
});

test('0 waits as long as Node does', async () => {
  await start(0);
  const { socket } = begin(1000, 'x');
  await sleep(4 * 1000 * SECONDS);
  expect(socket.closed).toBe(false);
  expect(admission.underWay).toBe(1);
});

test('a client that does not read its answer loses its place', async () => {
  await start();
  const socket = connect(port(), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {}).pause();
  answer = 'x'.repeat(20_000_000);
  socket.write('GET /webhook/a HTTP/1.1\r\nHost: n\r\n\r\n');
  while (admission.underWay === 0) await sleep(5);
  while (admission.underWay > 0) await sleep(5);
});

test('a client that reads slowly gets the whole answer', async () => {
  await start();
  answer = 'x'.repeat(3_000_000);
  const socket = connect(port(), '127.0.0.1');
  sockets.push(socket);
  let length = 0;
  socket.on('data', (chunk: Buffer) => {
    length += chunk.length;
    socket.pause();
    setTimeout(() => socket.resume(), 20);
  });
  socket.write('GET /webhook/a HTTP/1.1\r\nHost: n\r\n\r\n');
  while (length < answer.length) await sleep(20);
  while (admission.underWay > 0) await sleep(5);
  expect(admission.served).toBe(1);
});
