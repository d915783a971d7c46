import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer, get, request, Agent, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chart } from './render.js';

interface Limits {
  most: number;
  line: number;
  longest: number;
  executions?: () => { all: number; answered: number; held?: number };
  now?: () => number;
}
interface Admission {
  most: number;
  underWay: number;
  waiting: number;
  admitted: number;
  refused: Record<'line' | 'wait' | 'heap' | 'ending', number>;
  heap: { most: number };
  concurrency: ConcurrencyLimit;
  held: number;
  onWait: (milliseconds: number) => void;
  arrive(enter: (leave: () => void) => void, refuse: (seconds: number) => void, resumes?: boolean): () => void;
  end(): void;
}
interface ConcurrencyLimit {
  most: number;
  onLine(underWay: number, left: number): void;
}
interface HeapLimit {
  most: number;
  onCollected(share: number): void;
}
const hooks = join(chart, 'files/hooks');
const require = createRequire(import.meta.url);
const { Admission, HeapLimit, ConcurrencyLimit, guard, productionPaths, sparingly } = Object.assign(
  {},
  ...['admission', 'heap', 'http', 'n8n', 'concurrency'].map((name) => require(join(hooks, `${name}.js`))),
) as {
  Admission: new (limits: Limits) => Admission;
  ConcurrencyLimit: new (of: { full: number; busy: () => number; now: () => number }) => ConcurrencyLimit;
  HeapLimit: new (of: { held: () => number; admitted: () => number; least?: number; now?: () => number }) => HeapLimit;
  guard: (server: Server, admission: Admission, elsewhere?: boolean) => void;
  productionPaths: (env: Record<string, string | undefined>) => (url: string) => 'begins' | 'resumes' | undefined;
  sparingly: <T>(ask: () => T) => () => T;
};

describe('who is admitted', () => {
  /** Visitors by their numbers, in the order in which they entered or were refused. */
  function visitors(limits: Partial<Limits>) {
    const admission = new Admission({ most: 2, line: 2, longest: 1000, ...limits });
    const entered: number[] = [];
    const refused: number[] = [];
    const seconds: number[] = [];
    const leaves = new Map<number, () => void>();
    const arrive = (visitor: number, resumes = false) =>
      admission.arrive(
        (leave) => {
          entered.push(visitor);
          leaves.set(visitor, leave);
        },
        (after) => {
          refused.push(visitor);
          seconds.push(after);
        },
        resumes,
      );
    return { admission, arrive, entered, refused, seconds, leave: (visitor: number) => leaves.get(visitor)!() };
  }

  it('as many as may be under way, then a line, and no more', () => {
    const { admission, arrive, entered, refused } = visitors({});
    [1, 2, 3, 4, 5].forEach((visitor) => arrive(visitor));
    expect({ entered, refused }).toEqual({ entered: [1, 2], refused: [5] });
    expect(admission).toMatchObject({ underWay: 2, waiting: 2, admitted: 2, refused: { line: 1 } });
  });

  it('first in, first out, as soon as one leaves; who leaves twice frees one place', () => {
    const { admission, arrive, entered, leave } = visitors({});
    [1, 2, 3, 4].forEach((visitor) => arrive(visitor));
    leave(2);
    leave(2);
    expect(entered).toEqual([1, 2, 3]);
    leave(1);
    expect(entered).toEqual([1, 2, 3, 4]);
    expect(admission.underWay).toBe(2);
  });

  it('who goes away leaves the line', () => {
    const { admission, arrive, entered, leave } = visitors({});
    const [, , goAway] = [1, 2, 3, 4].map((visitor) => arrive(visitor));
    goAway!();
    expect(admission.waiting).toBe(1);
    leave(1);
    expect(entered).toEqual([1, 2, 4]);
  });

  it('nobody who waited longer than is useful', async () => {
    const { admission, arrive, refused } = visitors({ longest: 60 });
    [1, 2, 3].forEach((visitor) => arrive(visitor));
    await sleep(200);
    expect(refused).toEqual([3]);
    expect(admission.refused).toEqual({ line: 0, wait: 1, heap: 0, ending: 0 });
  });

  it('nobody who would wait longer than is useful, as others leave', () => {
    let now = 0;
    const { arrive, leave, refused, seconds } = visitors({ line: 100, longest: 3000, now: () => now });
    [1, 2, 3, 4, 5].forEach((visitor) => arrive(visitor));
    now = 2000;
    // One in two seconds: whoever comes now would be the third in the line.
    leave(1);
    arrive(6);
    expect(refused).toEqual([6]);
    expect(seconds[0]).toBeGreaterThanOrEqual(6);
  });

  it('only for a moment where the line has lasted: it is no burst', async () => {
    let now = 0;
    const { arrive, refused } = visitors({ line: 100, longest: 4000, now: () => now });
    [1, 2, 3].forEach((visitor) => arrive(visitor));
    now = 3900;
    arrive(4);
    await sleep(150);
    expect(refused).toEqual([]);
    now = 5001;
    await sleep(150);
    expect(refused).toEqual([3, 4]);
  });

  it('as many fewer as executions go on after their answer', async () => {
    let executions = 2;
    const { arrive, entered, refused } = visitors({ executions: () => ({ all: executions, answered: 0 }) });
    arrive(1);
    expect({ entered, refused }).toEqual({ entered: [], refused: [] });
    executions = 1;
    await sleep(150);
    expect(entered).toEqual([1]);
  });

  it('as many fewer beside open requests that are no executions yet', () => {
    const { admission, arrive, entered } = visitors({ most: 3, executions: () => ({ all: 1, answered: 1 }) });
    [1, 2, 3].forEach((visitor) => arrive(visitor));
    expect(entered).toEqual([1, 2]);
    expect(admission.underWay).toBe(3);
  });

  it('a few more that resume an execution: those under way may wait for it', () => {
    const { arrive, entered, refused } = visitors({ most: 2, line: 1 });
    [1, 2, 3].forEach((visitor) => arrive(visitor));
    [4, 5, 6].forEach((visitor) => arrive(visitor, true));
    expect({ entered, refused }).toEqual({ entered: [1, 2, 4, 5], refused: [6] });
  });

  it('a full heap: only those that resume an execution enter', () => {
    let held = 3;
    const { admission, arrive, entered, refused } = visitors({
      most: 9,
      executions: () => ({ all: 0, answered: 0, held }),
    });
    admission.heap = { most: 3 };
    arrive(1);
    arrive(2, true);
    expect({ entered, refused }).toEqual({ entered: [2], refused: [1] });
    held = 2;
    arrive(3);
    expect({ entered, refused, count: admission.refused.heap }).toEqual({ entered: [2, 3], refused: [1], count: 1 });
  });

  it('a full heap: those that resume an execution pass the others in the line', async () => {
    const { admission, arrive, entered, leave } = visitors({ most: 1, line: 3 });
    arrive(1);
    arrive(2);
    ['a', 'b', 'c'].forEach((_, i) => arrive(3 + i, true));
    expect(entered).toEqual([1, 3, 4]);
    admission.heap = { most: 0 };
    [1, 3, 4].forEach((visitor) => leave(visitor));
    expect(entered).toEqual([1, 3, 4, 5]);
  });

  it('nobody once the process ends', () => {
    const { admission, arrive, entered, refused } = visitors({});
    [1, 2, 3].forEach((visitor) => arrive(visitor));
    admission.end();
    arrive(4);
    expect({ entered, refused }).toEqual({ entered: [1, 2], refused: [3, 4] });
  });

  it('without a line, all others are refused at once', () => {
    const { arrive, refused } = visitors({ line: 0 });
    [1, 2, 3].forEach((visitor) => arrive(visitor));
    expect(refused).toEqual([3]);
  });
});

describe('the heap', () => {
  function limited({ least = 1 } = {}) {
    const seen = { held: 100, admitted: 0, at: 0 };
    const limit = new HeapLimit({
      held: () => seen.held,
      admitted: () => seen.admitted,
      least,
      now: () => seen.at,
    });
    const after = (share: number) => {
      limit.onCollected(share);
      return limit.most;
    };
    return { seen, after };
  }

  it('holds fewer than it held when it was found full, and fewer again as they leave', () => {
    const { seen, after } = limited();
    expect(after(0.79)).toBe(Infinity);
    expect(after(0.8)).toBe(90);
    // Those that are too many have not left yet: the limit stays.
    expect(after(0.9)).toBe(90);
    seen.held = 80;
    expect(after(0.85)).toBe(72);
  });

  it('holds more with each collection that does not find it full', () => {
    const { after } = limited();
    after(0.8);
    expect([after(0.7), after(0.7)]).toEqual([100, 111]);
    expect(after(0.64)).toBe(Infinity);
  });

  it('always holds a few: what fills it may be something else', () => {
    const { seen, after } = limited({ least: 5 });
    seen.held = 0;
    expect(after(0.9)).toBe(5);
  });

  it('has no limit where nothing was admitted for ten minutes, until it was not full once', () => {
    const { seen, after } = limited();
    after(0.9);
    seen.at = 599_000;
    seen.admitted = 1;
    expect(after(0.9)).toBe(90);
    seen.at = 1_198_000;
    expect(after(0.9)).toBe(90);
    seen.at = 1_199_000;
    expect([after(0.9), after(0.9)]).toEqual([Infinity, Infinity]);
    after(0.7);
    expect(after(0.9)).toBe(90);
  });

  it('of a process is seen when V8 collects it, and collected where V8 does not need to', () => {
    const script = `
      const { HeapLimit, watchHeap } = require(${JSON.stringify(join(hooks, 'heap.js'))});
      const { setTimeout: sleep } = require('node:timers/promises');
      const limit = new HeapLimit({ held: () => 10, admitted: () => 0 });
      watchHeap(limit, 100);
      const seen = [limit.most];
      const until = async (reached) => {
        for (let i = 0; i < 100 && !reached(); i++) await sleep(20);
        seen.push(limit.most);
      };
      (async () => {
        const fill = (_, i) => Array.from({ length: 100 }, (_, j) => 'x'.repeat(60) + i + j);
        let kept = Array.from({ length: 10_000 }, fill);
        gc();
        await until(() => limit.most < Infinity);
        kept = kept.length;
        await until(() => limit.most === Infinity);
        console.log(...seen);
      })();`;
    const { stdout } = spawnSync(process.execPath, ['--max-old-space-size=290', '--expose-gc', '-e', script]);
    expect(String(stdout).trim()).toBe('Infinity 9 Infinity');
  });
});

describe('the adaptive concurrency limit', () => {
  /** An n8n in an overload: what leaves per second with so many under way, and how busy its thread is. */
  function overloaded({ full = 48, rate, busy }: { full?: number; rate: (n: number) => number; busy: () => number }) {
    let [at, left] = [0, 0];
    const limit = new ConcurrencyLimit({ full, busy, now: () => at });
    let underWay = full;
    return (seconds: number) => {
      const seen = new Set<number>();
      for (const end = at + 1000 * seconds; at < end; at += 50) {
        left += rate(underWay) / 20;
        underWay = limit.most;
        limit.onLine(underWay, left);
        seen.add(limit.most);
      }
      return { most: limit.most, seen: [...seen] };
    };
  }

  it('a few where the process is busy: more would only be later', () => {
    const after = overloaded({ rate: () => 20, busy: () => 1 });
    expect(after(30)).toEqual({ most: 5, seen: [48, 24, 12, 6, 5] });
  });

  it('as many as make a difference, and no new try for a minute', () => {
    const after = overloaded({ rate: (n) => Math.min(40, 2 * n), busy: () => 0.9 });
    expect(after(10)).toEqual({ most: 24, seen: [48, 24, 12] });
    expect(after(50).seen).toEqual([24]);
    expect(after(20).seen).toEqual([24, 12]);
  });

  it('as many as serve nine tenths of what the full limit does, however slowly that falls', () => {
    const after = overloaded({ rate: (n) => 10 * n ** 0.12, busy: () => 0.9 });
    expect(after(600).most).toBe(24);
  });

  it('all where the process has time to spare: executions wait', () => {
    const after = overloaded({ rate: (n) => n / 5, busy: () => 0.15 });
    expect(after(60).seen).toEqual([48]);
  });

  it('all again, within seconds, when executions begin to wait', () => {
    let busy = 1;
    const after = overloaded({ rate: () => 20, busy: () => busy });
    expect(after(30).most).toBe(5);
    busy = 0.2;
    expect(after(5).most).toBe(48);
  });

  it('enough where executions that wait hold places: those that compute do not starve', () => {
    // Twenty wait for a minute; the others take what is left.
    let underWay = 48;
    const computing = () => underWay > 20;
    let [at, left, starved] = [0, 0, 0];
    const limit = new ConcurrencyLimit({ full: 48, busy: () => (computing() ? 0.9 : 0.1), now: () => at });
    for (; at < 60_000; at += 50) {
      underWay = Math.max(20, limit.most);
      if (computing()) left++;
      else starved += 50;
      limit.onLine(underWay, left);
    }
    expect(starved).toBeLessThan(3000);
  });

  it('all after ten seconds without a line', () => {
    let at = 0;
    const limit = new ConcurrencyLimit({ full: 48, busy: () => 1, now: () => at });
    for (let left = 0; at < 20_000; at += 50) limit.onLine(limit.most, left++);
    expect(limit.most).toBeLessThan(48);
    at += 10_001;
    limit.onLine(5, 1000);
    expect(limit.most).toBe(48);
  });

  it('is what an admission keeps to', () => {
    const admission = new Admission({ most: 9, line: 9, longest: 1000 });
    admission.concurrency = { most: 1, onLine: () => {} };
    let entered = 0;
    for (let i = 0; i < 3; i++)
      admission.arrive(
        () => entered++,
        () => {},
      );
    expect(entered).toBe(1);
  });
});

describe('production paths', () => {
  const kindOf = productionPaths({ N8N_ENDPOINT_WEBHOOK: 'hooks' });
  it.each([
    ['/hooks/a', 'begins'],
    ['/HOOKS/a?b=c', 'begins'],
    ['/form/x', 'begins'],
    ['/mcp/x/sse', 'begins'],
    ['http://n8n/hooks/a', 'begins'],
    ['ftp://n8n/hooks/a', 'begins'],
    ['/hooks\\a', 'begins'],
    ['/webhook-waiting/1', 'resumes'],
    ['/form-waiting/1', 'resumes'],
  ])('%s %s an execution', (url, kind) => expect(kindOf(url)).toBe(kind));
  it.each([
    '/',
    '/webhook/a',
    '/webhook-test/a',
    '/form-test/a',
    '/rest/login',
    '/healthz',
    '/metrics',
    '/api/v1/workflows',
  ])('%s is none', (url) => expect(kindOf(url)).toBeUndefined());
});

test('what takes long to ask is asked for at most 5 % of the time', async () => {
  let asked = 0;
  const slow = sparingly(() => {
    const until = performance.now() + 4;
    while (performance.now() < until);
    return ++asked;
  });
  const end = performance.now() + 300;
  while (performance.now() < end) {
    slow();
    await sleep(1);
  }
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(5);
  let quick = 0;
  const each = sparingly(() => ++quick);
  for (let i = 0; i < 10; i++) {
    each();
    await sleep(2);
  }
  expect(quick).toBeGreaterThan(2);
});

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
    guard(server, admission, elsewhere);
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
    const first = call('/webhook/hold');
    await until(() => held.length === 1);
    const second = call('/webhook/done');
    await until(() => admission.waiting === 1);
    const third = await call('/webhook/done');
    expect(third.statusCode).toBe(503);
    expect(third.headers).toMatchObject({ connection: 'keep-alive', 'content-type': 'application/json' });
    expect(Number(third.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    held[0]!.end();
    expect((await first).statusCode).toBe(200);
    expect((await second).statusCode).toBe(200);
    await until(() => admission.underWay === 0);
  });

  describe('where other pods take requests, too', () => {
    beforeAll(() => void (elsewhere = true));
    afterAll(() => void (elsewhere = false));

    it('closes the connection of a refused request, with or without a body', async () => {
      void call('/webhook/hold').catch(() => {});
      void call('/webhook/hold').catch(() => {});
      await until(() => admission.waiting === 1);
      expect((await call('/webhook/done')).headers.connection).toBe('close');
      const post = request({ host: '127.0.0.1', port: port(), path: '/webhook/a', method: 'POST', agent });
      post.end('x'.repeat(1000));
      const [answer] = (await once(post, 'response')) as [IncomingMessage];
      expect(answer).toMatchObject({ statusCode: 503, headers: { connection: 'close' } });
    });
  });

  it('a refused request with a short body leaves its connection usable', async () => {
    void call('/webhook/hold').catch(() => {});
    void call('/webhook/hold').catch(() => {});
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
    void call('/webhook/hold').catch(() => {});
    await until(() => held.length === 1);
    expect((await call('/healthz')).statusCode).toBe(200);
  });

  it('a client that goes away frees its place, and one that waits its place in the line', async () => {
    const under = get({ host: '127.0.0.1', port: port(), path: '/webhook/hold' }).on('error', () => {});
    await until(() => held.length === 1);
    const waits = get({ host: '127.0.0.1', port: port(), path: '/webhook/hold' }).on('error', () => {});
    await until(() => admission.waiting === 1);
    waits.destroy();
    await until(() => admission.waiting === 0);
    under.destroy();
    await until(() => admission.underWay === 0);
    expect((await call('/webhook/done')).statusCode).toBe(200);
  });

  it('requests that wait behind another one on a connection leave with it', async () => {
    admission.most = 3;
    const socket = connect(port(), '127.0.0.1');
    socket.write('GET /webhook/hold HTTP/1.1\r\nHost: n\r\n\r\n'.repeat(3));
    await until(() => admission.underWay === 3);
    socket.destroy();
    await until(() => admission.underWay === 0);
  });

  it('a browser may ask whether it may send a request, and a script in it can read a refusal', async () => {
    void call('/webhook/hold').catch(() => {});
    void call('/webhook/hold').catch(() => {});
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
      expect((await call('/webhook/done')).statusCode).toBe(200);
      stream.destroy();
      await sleep(20);
      expect(admission.underWay).toBe(0);
    },
  );

  it('reads no body before admission; a client with a large one reads its refusal', async () => {
    void call('/webhook/hold').catch(() => {});
    void call('/webhook/hold').catch(() => {});
    await until(() => admission.waiting === 1);
    const body = Buffer.alloc(8 * 2 ** 20, 'x');
    const upload = request({ host: '127.0.0.1', port: port(), path: '/webhook/upload', method: 'POST' });
    upload.on('error', () => {});
    upload.end(body);
    const [answer] = (await once(upload, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(503);
    expect(bodies).toEqual(['']);
  });

  it('asks for a body (100 Continue) only once the request is admitted', async () => {
    void call('/webhook/hold').catch(() => {});
    await until(() => held.length === 1);
    const socket = connect(port(), '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    socket.write('POST /webhook/done HTTP/1.1\r\nHost: n\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
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
