import { jest } from '@jest/globals';
import { createServer, get, request, Agent, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Admission, guard } from './testing.js';

describe('in front of an HTTP server', () => {
  let server: Server;
  let admission: Admission;
  let bodies: string[];
  let elsewhere = false;
  let held: ServerResponse[];
  let agent: Agent;
  const port = () => (server.address() as AddressInfo).port;

  beforeEach(async () => {
    agent = new Agent({ keepAlive: true });
    bodies = [];
    // Of this server alone: what an earlier one closes may still arrive there.
    const mine: ServerResponse[] = (held = []);
    // As Express: reads the body, and answers later if the path says so.
    server = createServer((incoming, response) => {
      let body = '';
      incoming.on('data', (chunk) => (body += chunk));
      incoming.on('end', () => {
        bodies.push(body);
        if (incoming.url!.includes('hold')) mine.push(response);
        else if (incoming.url!.includes('sse-head'))
          response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n');
        else if (incoming.url!.includes('sse'))
          response.setHeader('Content-Type', 'text/event-stream').write('data: 1\n\n');
        else response.end('done');
      });
    });
    admission = new Admission({ most: 1, line: 1, longest: 1000 });
    guard(server, admission, { elsewhere });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
    process.removeAllListeners('SIGTERM');
    process.removeAllListeners('SIGINT');
  });

  const call = (path: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get({ host: '127.0.0.1', port: port(), path, agent }, (answer) => resolve(answer.resume())).on('error', reject);
    });
  const until = async (reached: () => boolean) => {
    while (!reached()) await sleep(5);
  };

  it('answers 503 with Retry-After, while others are under way and in the line', async () => {
    const first = call('/webhook/a?hold');
    await until(() => held.length === 1);
    const second = call('/webhook/a?done');
    await until(() => admission.waiting === 1);
    const third = await call('/webhook/a?done');
    expect(third.statusCode).toBe(503);
    expect(third.headers).toMatchObject({ connection: 'keep-alive', 'content-type': 'application/json' });
    expect(Number(third.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    held[0]!.end();
    expect((await first).statusCode).toBe(200);
    expect((await second).statusCode).toBe(200);
    await until(() => admission.underWay === 0);
  });

  it('refuses at once whoever waits when the process ends, and answers those that are under way', async () => {
    const first = call('/webhook/a?hold');
    await until(() => held.length === 1);
    const second = call('/webhook/a?done');
    await until(() => admission.waiting === 1);
    process.emit('SIGTERM');
    expect((await second).statusCode).toBe(503);
    expect((await call('/webhook/a?done')).statusCode).toBe(503);
    expect(admission).toMatchObject({ waiting: 0, refused: { ending: 2 } });
    held[0]!.end();
    expect((await first).statusCode).toBe(200);
  });

  describe('where other pods take requests, too', () => {
    beforeAll(() => void (elsewhere = true));
    afterAll(() => void (elsewhere = false));

    const fill = async () => {
      void call('/webhook/a?hold').catch(() => {});
      void call('/webhook/a?hold').catch(() => {});
      await until(() => admission.waiting === 1);
    };
    const LONGEST_RETRY = 2000;

    it.each(['GET /webhook/a', 'POST /webhook/a'])('closes a connection on which %s is refused twice', async (line) => {
      await fill();
      const { seen, statuses, send } = pipe(line);
      await until(() => statuses().length === 1);
      // Who does not wait as told is refused on the same connection.
      send(line);
      await until(() => statuses().length === 2);
      expect({ statuses: statuses(), closed: seen.closed }).toEqual({ statuses: ['503', '503'], closed: false });
      await sleep(LONGEST_RETRY);
      send(line);
      await until(() => seen.closed);
      expect(statuses()).toEqual(['503', '503', '503']);
    });

    describe('a client that gives up', () => {
      const giveUp = async () => {
        const one = request({ host: '127.0.0.1', port: port(), path: '/webhook/a?hold', agent }).on('error', () => {});
        one.end();
        await until(() => held.length === 1);
        one.destroy();
        await once(held[0]!, 'close');
      };

      it('keeps its place until a worker has executed the request', async () => {
        await giveUp();
        expect(admission.underWay).toBe(1);
        held[0]!.end();
        expect(admission).toMatchObject({ underWay: 0, served: 0 });
      });

      it('keeps it for a few seconds at most, or as long again as it waited', async () => {
        jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance', 'queueMicrotask', 'Date'] });
        try {
          await giveUp();
          jest.advanceTimersByTime(4900);
          expect(admission.underWay).toBe(1);
          jest.advanceTimersByTime(1100);
          expect(admission).toMatchObject({ underWay: 0, served: 0 });
        } finally {
          jest.useRealTimers();
        }
      });
    });

    /** A connection on which requests are sent without waiting for answers. */
    function pipe(...requests: string[]) {
      const socket = connect(port(), '127.0.0.1');
      const seen = { text: '', closed: false };
      socket.setEncoding('utf8').on('data', (text: string) => (seen.text += text));
      socket.on('close', () => (seen.closed = true));
      const send = (...lines: string[]) =>
        socket.write(lines.map((line) => `${line} HTTP/1.1\r\nHost: n\r\nContent-Length: 0\r\n\r\n`).join(''));
      send(...requests);
      return {
        socket,
        seen,
        send,
        statuses: () => [...seen.text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status),
      };
    }

    it('leaves a connection open on which n8n works on another request: its answer would be lost', async () => {
      const one = call('/webhook/a?hold');
      await until(() => held.length === 1);
      // The first one waits; the second one resumes an execution, and is admitted at once.
      const { socket, seen, statuses, send } = pipe('GET /webhook/a');
      await until(() => statuses().length === 1);
      await sleep(LONGEST_RETRY);
      send('GET /webhook/a', 'POST /webhook-waiting/b');
      await until(() => statuses().length === 3);
      expect(statuses()).toEqual(['503', '503', '200']);
      expect(seen.closed).toBe(false);
      held[0]!.end();
      await one;
      socket.destroy();
    });

    it('serves nothing that follows a refusal which closes the connection, of the editor neither', async () => {
      await fill();
      const before = bodies.length;
      const { seen, statuses, send } = pipe('GET /webhook/a');
      await until(() => statuses().length === 1);
      await sleep(LONGEST_RETRY);
      // Who waited was refused meanwhile.
      void call('/webhook/a?hold').catch(() => {});
      await until(() => admission.waiting === 1);
      send('GET /webhook/a', 'POST /rest/workflows');
      await until(() => seen.closed);
      expect(statuses()).toEqual(['503', '503']);
      expect(bodies).toHaveLength(before);
    });

    it('answers a refused HEAD at once, whatever body it announces', async () => {
      await fill();
      // Nothing that waits for its time ends here.
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance', 'queueMicrotask', 'Date'] });
      try {
        const headers = { 'Content-Length': 10 };
        const head = request({ host: '127.0.0.1', port: port(), path: '/webhook/a', method: 'HEAD', agent, headers });
        head.on('error', () => {}).flushHeaders();
        const [answer] = (await once(head, 'response')) as [IncomingMessage];
        expect(answer.statusCode).toBe(503);
        head.destroy();
      } finally {
        jest.useRealTimers();
      }
    });

    it('begins nothing of what follows a refused request on its connection: its answer would be lost', async () => {
      const one = call('/webhook/a?hold').catch(() => {});
      const waiting = call('/webhook/a?hold').catch(() => {});
      await until(() => admission.waiting === 1);
      const socket = connect(port(), '127.0.0.1');
      let received = '';
      socket.setEncoding('utf8').on('data', (text: string) => (received += text));
      const post = 'POST /webhook/a HTTP/1.1\r\nHost: n\r\nContent-Length: 4\r\n\r\n';
      socket.write(`${post}body`);
      await until(() => received.includes('503'));
      await sleep(LONGEST_RETRY);
      received = '';
      // Its body has not arrived, so that the connection stays open for a moment.
      socket.write(post);
      await until(() => received.includes('503'));
      held[0]!.end();
      await Promise.all([one, waiting]);
      const before = admission.admitted;
      socket.write('bodyGET /webhook/a?done HTTP/1.1\r\nHost: n\r\n\r\n');
      await once(socket, 'close');
      expect(admission.admitted).toBe(before);
    });
  });

  it('refuses who expects 100 Continue, and closes: what follows may be the body or the next request', async () => {
    void call('/webhook/a?hold').catch(() => {});
    void call('/webhook/a?hold').catch(() => {});
    await until(() => admission.waiting === 1);
    const socket = connect(port(), '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    socket.write('POST /webhook/a?done HTTP/1.1\r\nHost: n\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
    await once(socket, 'close');
    expect(received).toMatch(/^HTTP\/1.1 503 /);
    expect(received).toMatch(/Connection: close/i);
  });

  it('an upgrade to a WebSocket is never held back', async () => {
    void call('/webhook/a?hold').catch(() => {});
    await until(() => held.length === 1);
    server.once('upgrade', (_, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
    const socket = connect(port(), '127.0.0.1');
    socket.write('GET /rest/push HTTP/1.1\r\nHost: n\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain('101');
    socket.destroy();
  });

  it('a refused request with a short body leaves its connection usable', async () => {
    void call('/webhook/a?hold').catch(() => {});
    void call('/webhook/a?hold').catch(() => {});
    await until(() => admission.waiting === 1);
    const one = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < 2; i++) {
      const post = request({ host: '127.0.0.1', port: port(), path: '/webhook/a', method: 'POST', agent: one });
      post.end('x'.repeat(1000));
      const [answer] = (await once(post, 'response')) as [IncomingMessage];
      answer.resume();
      await once(answer, 'end');
      expect({ status: answer.statusCode, reused: post.reusedSocket }).toEqual({ status: 503, reused: i > 0 });
    }
    one.destroy();
  });

  it('never holds back what is no production path', async () => {
    void call('/webhook/a?hold').catch(() => {});
    await until(() => held.length === 1);
    expect((await call('/healthz')).statusCode).toBe(200);
  });

  it('a client that goes away frees its place, and one that waits its place in the line', async () => {
    const under = get({ host: '127.0.0.1', port: port(), path: '/webhook/a?hold' }).on('error', () => {});
    await until(() => held.length === 1);
    const waits = get({ host: '127.0.0.1', port: port(), path: '/webhook/a?hold' }).on('error', () => {});
    await until(() => admission.waiting === 1);
    waits.destroy();
    await until(() => admission.waiting === 0);
    under.destroy();
    await until(() => admission.underWay === 0);
    expect((await call('/webhook/a?done')).statusCode).toBe(200);
  });

  it('requests of one connection are begun one after the other: no connection holds more than one place', async () => {
    admission.most = 3;
    const socket = connect(port(), '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.write(['a?hold', 'b', 'c'].map((path) => `GET /webhook/${path} HTTP/1.1\r\nHost: n\r\n\r\n`).join(''));
    await until(() => held.length === 1);
    await call('/webhook/d');
    expect(admission.underWay).toBe(1);
    held[0]!.end('first');
    await until(() => text.split('HTTP/1.1 200').length === 4);
    expect(text.indexOf('first')).toBeLessThan(text.indexOf('done'));
    socket.destroy();
    await until(() => admission.underWay === 0);
  });

  it('those that wait behind another one are not begun if the connection ends', async () => {
    const socket = connect(port(), '127.0.0.1');
    socket.write('GET /webhook/a?hold HTTP/1.1\r\nHost: n\r\n\r\n'.repeat(3));
    await until(() => held.length === 1);
    socket.destroy();
    await until(() => admission.underWay === 0);
    expect((await call('/webhook/b')).statusCode).toBe(200);
    expect(admission.admitted).toBe(2);
  });

  it('a browser may ask whether it may send a request, and a script in it can read a refusal', async () => {
    void call('/webhook/a?hold').catch(() => {});
    void call('/webhook/a?hold').catch(() => {});
    await until(() => admission.waiting === 1);
    const headers = { origin: 'https://shop.example' };
    const ask = async (method: string) => {
      const asked = request({ host: '127.0.0.1', port: port(), path: '/webhook/a', method, headers, agent });
      asked.end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answer.resume();
      return answer;
    };
    expect((await ask('OPTIONS')).statusCode).toBe(200);
    expect((await ask('GET')).headers).toMatchObject({
      'access-control-allow-origin': 'https://shop.example',
      'access-control-expose-headers': 'Retry-After',
    });
  });

  it('a stream that answers a POST keeps its place: it ends with its work', async () => {
    const post = request({ host: '127.0.0.1', port: port(), path: '/mcp/sse', method: 'POST', agent });
    post.end();
    await once(post, 'response');
    expect(admission.underWay).toBe(1);
    post.destroy();
    await until(() => admission.underWay === 0);
  });

  it.each(['/mcp/sse', '/mcp/sse-head'])(
    'an event stream keeps its connection and gives its place back: %s',
    async (path) => {
      const stream = await call(path);
      await until(() => admission.underWay === 0);
      expect(stream.destroyed).toBe(false);
      expect((await call('/webhook/a?done')).statusCode).toBe(200);
      stream.destroy();
      await sleep(20);
      expect(admission.underWay).toBe(0);
    },
  );

  it('reads no body before admission; a client with a large one reads its refusal', async () => {
    void call('/webhook/a?hold').catch(() => {});
    void call('/webhook/a?hold').catch(() => {});
    await until(() => admission.waiting === 1);
    const body = Buffer.alloc(8 * 2 ** 20, 'x');
    const upload = request({ host: '127.0.0.1', port: port(), path: '/webhook/a', method: 'POST' });
    upload.on('error', () => {});
    upload.end(body);
    const [answer] = (await once(upload, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(503);
    expect(bodies).toEqual(['']);
  });

  it('asks for a body (100 Continue) only once the request is admitted', async () => {
    void call('/webhook/a?hold').catch(() => {});
    await until(() => held.length === 1);
    const socket = connect(port(), '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    socket.write('POST /webhook/a?done HTTP/1.1\r\nHost: n\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
    await until(() => admission.waiting === 1);
    expect(received).toBe('');
    held[0]!.end();
    await until(() => received.includes('100 Continue'));
    socket.write('ok');
    await until(() => received.includes('200 OK'));
    expect(bodies).toContain('ok');
    socket.destroy();
  });
});
