import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Handler,
  answerHonestly,
  sendJson,
  runScript,
  type Stub,
  startStub,
  truth,
  workloads,
} from './support.js';

const SHORT = {
  RATES: '5',
  DURATION: '1s',
  WARMUP: '0s',
  TIMEOUT: '2s',
  SECONDS: '0.2',
  MS: '100',
  N: '1000',
  BLOCK_MS: '100',
};

const folder = mkdtempSync(join(tmpdir(), 'arrivals-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
function recordedIn(times: number[]): string {
  const file = join(folder, `${files++}.json`);
  writeFileSync(file, JSON.stringify(times));
  return file;
}

const stubs: Stub[] = [];

async function serve(handler: Handler): Promise<Stub> {
  stubs.push(await startStub(handler));
  return stubs.at(-1)!;
}

afterAll(() => Promise.all(stubs.map(({ close }) => close())));

/**
 * A server of which a few clients can connect while it works on its first request for a second and a half. The kernel drops what
 * others send to connect, and their kernel sends it again after a second.
 */
async function slowToAccept(): Promise<{ url: string; end: () => void }> {
  const answer = JSON.stringify(truth('/webhook/webhook-ack'));
  const script = `
    let first = true;
    const server = require('node:http').createServer((_, response) => {
      if (first) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
      first = false;
      response.writeHead(200, { 'content-type': 'application/json' }).end(${JSON.stringify(answer)});
    });
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${String(port).trim()}`, end: () => child.kill('SIGKILL') };
}

describe('against an honest server', () => {
  test.concurrent.each(workloads)('%s passes', async (workload) => {
    const { url, requests } = await serve(answerHonestly);
    const { code, count, output } = await runScript(`${workload}.js`, { ...SHORT, BASE_URL: url });
    expect({ code, output }).toEqual({ code: 0, output: expect.any(String) });
    expect(count('answered', { workload, step: '0', rate: '5', phase: 'measure' })).toBe(requests.length);
    expect(count('wrong_answers')).toBe(0);
    expect(requests.length).toBeGreaterThanOrEqual(5);
  });

  test.concurrent('a mix passes, each workload with its share', async () => {
    const { url } = await serve(answerHonestly);
    const { code, count } = await runScript('mix.js', {
      ...SHORT,
      BASE_URL: url,
      RATES: '12',
      MIX: '{"webhook-ack":3,"cpu-burn":1}',
    });
    expect(code).toBe(0);
    expect([9, 10]).toContain(count('answered', { workload: 'webhook-ack' }));
    expect([3, 4]).toContain(count('answered', { workload: 'cpu-burn' }));
  });

  test.concurrent(
    'every sample of a request has workload, step, rate and phase, and a time finer than a second',
    async () => {
      const { url } = await serve(answerHonestly);
      const { samples } = await runScript('webhook-ack.js', { ...SHORT, BASE_URL: url, WARMUP: '1s' });
      const tagged = samples.filter(({ metric }) => !['vus', 'vus_max'].includes(metric));
      for (const sample of tagged) expect(sample).toMatchObject({ workload: 'webhook-ack', step: '0', rate: '5' });
      expect(new Set(tagged.map(({ phase }) => phase))).toEqual(new Set(['warmup', 'measure']));
      expect(new Set(tagged.map(({ scenario }) => scenario))).toEqual(
        new Set(['webhook-ack_0_warmup', 'webhook-ack_0_measure']),
      );
      expect(new Set(tagged.map(({ time }) => time % 1e6)).size).toBeGreaterThan(5);
    },
  );

  test.concurrent('sends the token, or none if it is empty', async () => {
    const { url, requests } = await serve(answerHonestly);
    await runScript('webhook-ack.js', { ...SHORT, BASE_URL: url, TOKEN: 'sesame' });
    expect(new Set(requests.map(({ token }) => token))).toEqual(new Set(['sesame']));
    requests.length = 0;
    await runScript('webhook-ack.js', { ...SHORT, BASE_URL: url });
    expect(new Set(requests.map(({ token }) => token))).toEqual(new Set([undefined]));
  });

  test.concurrent('calls the URLs in turn', async () => {
    const servers = await Promise.all([serve(answerHonestly), serve(answerHonestly), serve(answerHonestly)]);
    await runScript('webhook-ack.js', { ...SHORT, RATES: '12', BASE_URL: servers.map(({ url }) => url).join(',') });
    const counts = servers.map(({ requests }) => requests.length);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(4);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  test.concurrent(
    'in the closed model, the same clients send warm-up and measured part, with the phase as a tag',
    async () => {
      const { url } = await serve(answerHonestly);
      const { code, samples, count } = await runScript('webhook-wait.js', {
        ...SHORT,
        BASE_URL: url,
        MODEL: 'closed',
        CLIENTS: '2',
        WARMUP: '1s',
      });
      expect(code).toBe(0);
      const times = (phase: string) =>
        samples.filter((s) => s.metric === 'answered' && s.phase === phase).map((s) => s.time);
      expect(times('warmup').length).toBeGreaterThan(0);
      expect(times('measure').length).toBeGreaterThan(0);
      expect(Math.max(...times('warmup'))).toBeLessThan(Math.min(...times('measure')));
      expect(count('http_reqs', { clients: '2' })).toBe(count('http_reqs'));
    },
  );

  test.concurrent('recorded arrivals are sent when they are due, after a warm-up', async () => {
    const { url, requests } = await serve(answerHonestly);
    const times = [0.2, 0.21, 0.22, 1.5, 1.9, 2.4];
    const { code, output, samples, count } = await runScript('webhook-ack.js', {
      ...{ BASE_URL: url, RATES: '2', DURATION: '3s', WARMUP: '1s', GAP: '0s', TIMEOUT: '2s' },
      ...{ ARRIVALS: 'recorded', ARRIVALS_FILE: recordedIn(times), MAX_VUS: '4' },
    });
    expect({ code, output }).toEqual({ code: 0, output: expect.any(String) });
    expect(count('answered', { phase: 'measure', scenario: 'webhook-ack_0_measure' })).toBe(times.length);
    const begun = samples.find((s) => s.metric === 'begun' && s.phase === 'measure')!.value;
    const sent = requests.slice(-times.length).map(({ time }) => (time - begun) / 1000);
    sent.forEach((at, i) => {
      expect(at).toBeGreaterThanOrEqual(times[i]! - 0.01);
      expect(at).toBeLessThan(times[i]! + 0.5);
    });
  });

  test.concurrent('a recorded arrival is dropped if no client is idle for a second', async () => {
    const { url } = await serve((request, response) => setTimeout(() => answerHonestly(request, response), 1500));
    const { code, count } = await runScript('webhook-ack.js', {
      ...{ BASE_URL: url, RATES: '2', DURATION: '3s', WARMUP: '0s', GAP: '0s', TIMEOUT: '5s' },
      ...{ ARRIVALS: 'recorded', ARRIVALS_FILE: recordedIn([0, 0.1, 0.2, 0.3]), MAX_VUS: '1' },
    });
    expect(code).toBe(99);
    expect(count('dropped_iterations', { scenario: 'webhook-ack_0_measure' })).toBe(3);
    expect(count('answered')).toBe(1);
  });

  test.concurrent('the latency includes the time to connect, as a client sees it', async () => {
    const server = await slowToAccept();
    const times = { RATES: '20', DURATION: '2s', WARMUP: '0s', GAP: '0s', TIMEOUT: '10s' };
    const { samples } = await runScript('webhook-ack.js', { ...times, BASE_URL: server.url });
    server.end();
    const above = (metric: string) => samples.filter((s) => s.metric === metric && s.value > 900).length;
    expect(above('http_req_connecting')).toBeGreaterThan(0);
    expect(above('latency')).toBeGreaterThanOrEqual(above('http_req_connecting') + above('http_req_waiting'));
  });

  test.concurrent('the number of slow answers in ABORT_SLOW ends the run early', async () => {
    const { url } = await serve((request, response) => setTimeout(() => answerHonestly(request, response), 400));
    const times = { RATES: '20', DURATION: '60s', WARMUP: '2s', GAP: '0s', TIMEOUT: '5s' };
    const { code, samples, count } = await runScript('webhook-ack.js', {
      BASE_URL: url,
      ...times,
      ABORT_SLOW: '0.3:60,2:10',
    });
    expect(code).toBe(99);
    expect(count('slow_answers', { above: '0.3', phase: 'measure' })).toBeGreaterThanOrEqual(60);
    expect(count('slow_answers', { above: '2' })).toBe(0);
    const at = samples.filter((s) => s.metric === 'latency').map((s) => s.time);
    expect(Math.max(...at) - Math.min(...at)).toBeLessThan(30e6);
  });

  test.concurrent('an iteration without an idle virtual user is dropped and fails the run', async () => {
    const { url } = await serve(answerHonestly);
    const { code, count } = await runScript('webhook-wait.js', { ...SHORT, BASE_URL: url, RATES: '20', MAX_VUS: '1' });
    expect(code).toBe(99);
    expect(count('dropped_iterations', { scenario: 'webhook-wait_0_measure' })).toBeGreaterThan(5);
    expect(count('wrong_answers')).toBe(0);
  });
});

describe('webhook.js', () => {
  const ENV = { ...SHORT, WEBHOOK_PATH: '/webhook/order?source=test', METHOD: 'POST', BODY: '{"price":21}' };

  const bodies = (seen: string[], status: number): Handler => {
    return (request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += String(chunk)));
      request.on('end', () => {
        seen.push(`${request.method} ${request.url} ${request.headers['content-type']} ${text}`);
        response.writeHead(status).end();
      });
    };
  };

  test.concurrent('sends method, path, body and headers, and never the token; any 2xx is correct', async () => {
    const seen: string[] = [];
    const { url, requests } = await serve(bodies(seen, 204));
    const { code, count } = await runScript('webhook.js', { ...ENV, BASE_URL: url, TOKEN: 'sesame' });
    expect(code).toBe(0);
    expect(new Set(seen)).toEqual(new Set(['POST /webhook/order?source=test application/json {"price":21}']));
    expect(new Set(requests.map(({ token }) => token))).toEqual(new Set([undefined]));
    expect(count('answered', { workload: 'webhook', expected_response: '' })).toBe(requests.length);
    expect(count('http_req_failed')).toBe(0);
  });

  test.concurrent('an unexpected status is a wrong answer', async () => {
    const { url, requests } = await serve(bodies([], 200));
    const { code, count } = await runScript('webhook.js', { ...ENV, BASE_URL: url, EXPECT_STATUS: '201' });
    expect(code).toBe(99);
    expect(count('wrong_answers', { fault: 'status' })).toBe(requests.length);
    expect(count('http_req_failed')).toBe(requests.length);
  });
});

describe('against a server that lies', () => {
  const altered =
    (change: Record<string, unknown>): Handler =>
    (request, response) => {
      const answer: Record<string, unknown> = { ...truth(request.url ?? '') };
      setTimeout(() => sendJson(response, { ...answer, ...change }), Number(answer.ms));
    };

  const lies: [string, string, Handler][] = [
    ['an empty body', 'json', (_, response) => response.end()],
    ['another operation', 'operation', altered({ operation: 'identify' })],
    ['a shorter wait than asked', 'parameter', altered({ ms: 10 })],
    ['that it took less than asked', 'took', altered({ tookMs: 10 })],
    ['at once that it waited', 'early', (request, response) => sendJson(response, truth(request.url ?? ''))],
    ['no process', 'identity', altered({ identity: {} })],
    ['HTML', 'json', (_, response) => response.setHeader('content-type', 'text/html').end('<html>n8n</html>')],
    ['a JSON array', 'json', (request, response) => sendJson(response, [truth(request.url ?? '')])],
    ['403', 'status', (_, response) => sendJson(response, { message: 'Authorization data is wrong!' }, 403)],
    ['500', 'status', (_, response) => sendJson(response, { message: 'Error in workflow' }, 500)],
    ['a redirect', 'status', (_, response) => response.writeHead(302, { location: '/healthz' }).end()],
  ];

  test.concurrent.each(lies)('%s: every answer is wrong (%s)', async (_, fault, handler) => {
    const { url, requests } = await serve(handler);
    const { code, count, output } = await runScript('webhook-wait.js', { ...SHORT, BASE_URL: url });
    expect(code).toBe(99);
    expect(count('answered')).toBe(0);
    expect(count('wrong_answers', { fault, phase: 'measure' })).toBe(requests.length);
    expect(count('http_req_failed')).toBe(fault === 'status' ? requests.length : 0);
    expect(output).toMatch(new RegExp(`webhook-wait: .*\\(${fault}\\)`));
    expect(requests.every((request) => request.url.startsWith('/webhook/webhook-wait?'))).toBe(true);
  });

  test.concurrent('one wrong answer among right ones fails the run', async () => {
    const { url, requests } = await serve((request, response) =>
      requests.length === 3 ? response.end('{}') : answerHonestly(request, response),
    );
    const { code, count } = await runScript('webhook-ack.js', { ...SHORT, BASE_URL: url });
    expect(code).toBe(99);
    expect(count('wrong_answers')).toBe(1);
    expect(count('answered')).toBe(requests.length - 1);
  });
});

describe('against a server that does not answer', () => {
  test.concurrent('the run fails; no answer is not a wrong answer', async () => {
    const gone = await serve(answerHonestly);
    await gone.close();
    const { code, count, output } = await runScript('webhook-ack.js', { ...SHORT, BASE_URL: gone.url });
    expect(code).toBe(99);
    expect(count('http_req_failed', { status: '0', error_code: '1212' })).toBe(count('http_reqs'));
    expect(count('answered') + count('wrong_answers')).toBe(0);
    expect(output).toContain('webhook-ack: ');
  });

  test.concurrent('an iteration dropped while all clients wait does not make later requests seem slow', async () => {
    let stalled = 0;
    const { url } = await serve((request, response) => {
      stalled ||= Date.now() + 1000;
      const [from, to] = [stalled, stalled + 3000];
      const wait = Date.now() >= from && Date.now() < to ? to - Date.now() : 0;
      setTimeout(() => answerHonestly(request, response), wait);
    });
    const env = { ...SHORT, BASE_URL: url, RATES: '20', DURATION: '9s', TIMEOUT: '5s', MAX_VUS: '20' };
    const { samples, count } = await runScript('webhook-ack.js', env);
    expect(count('dropped_iterations')).toBeGreaterThan(10);
    const later = samples.filter((s) => s.metric === 'latency' && s.time / 1000 > stalled + 3000 + 1000);
    expect(later.length).toBeGreaterThan(40);
    expect(later.filter((s) => s.value > 500)).toEqual([]);
  });

  test.concurrent('a request that times out is recorded, even the last', async () => {
    const { url, requests } = await serve(() => {});
    const { code, count } = await runScript('webhook-ack.js', { ...SHORT, BASE_URL: url, TIMEOUT: '1s' });
    expect(code).toBe(99);
    expect(count('http_req_failed', { error_code: '1050' })).toBe(requests.length);
    expect(count('http_reqs')).toBe(requests.length);
  });

  test.concurrent('in the closed model, a client pauses after a failure', async () => {
    const { url, requests } = await serve((_, response) => sendJson(response, {}, 500));
    await runScript('webhook-ack.js', { ...SHORT, BASE_URL: url, MODEL: 'closed', CLIENTS: '3', PAUSE: '0.6' });
    expect(requests.length).toBeGreaterThanOrEqual(3);
    expect(requests.length).toBeLessThanOrEqual(6);
  });
});
