import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CompiledNodes, RUNTIMES, type Result } from '../support/in-core.js';

/** The compiled node in the `WorkflowExecute` of the n8n-core of each installed runtime. */

let nodes: CompiledNodes;
beforeAll(() => {
  nodes = new CompiledNodes();
}, 60_000);
afterAll(() => nodes.remove());

/** Answers each path with its status. `/slow` gets no answer, and `/long` a body that never ends. */
let server: Server;
let requestsSeen: string[] = [];
let address: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    requestsSeen.push(request.url ?? '');
    if (request.url === '/slow') return;
    const status = Number(/\d+/.exec(request.url ?? '')?.[0] ?? 200);
    response.writeHead(status, status === 302 ? { location: '/moved' } : {});
    if (request.url === '/long') response.write('beginning');
    else response.end('answer');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const target = (operation: string, parameters: object = {}) => ({ operation, ...parameters });

/** Executions of each of the eight operations, which call the server above at this address. */
const executionsAt = (origin: string) => ({
  identify: { parameters: target('identify') },
  wait: { items: [{ ms: '5' }, { ms: 7 }], parameters: target('wait', { milliseconds: '={{ $json.ms }}' }) },
  count: { parameters: target('burnCpu', { mode: 'count', count: '={{ $json.n || 1000 }}' }) },
  time: { parameters: target('burnCpu', { mode: 'time', milliseconds: 20 }) },
  heap: { parameters: target('holdMemory', { megabytes: 8, milliseconds: 5, where: 'heap' }) },
  offHeap: { parameters: target('holdMemory', { megabytes: 8, milliseconds: 5, where: 'offHeap' }) },
  block: { parameters: target('blockEventLoop', { milliseconds: '={{ 2 * 10 }}' }) },
  payload: {
    items: [
      { kB: '2', seed: 5 },
      { kB: 3, seed: 5 },
    ],
    parameters: target('payload', {
      items: 2,
      kilobytes: '={{ $json.kB }}',
      format: 'json',
      seed: '={{ $json.seed }}',
    }),
  },
  binary: { parameters: target('payload', { items: 2, kilobytes: 4, format: 'binary', seed: 5 }) },
  tooMuchPayload: { parameters: target('payload', { items: 65, kilobytes: 1024, format: 'json', seed: 1 }) },
  generate: { parameters: target('transform', { transformMode: 'generate', kilobytes: '={{ 4 * 5 }}', seed: 1 }) },
  write: { parameters: target('transform', { transformMode: 'write', kilobytes: 20, seed: 1 }) },
  read: {
    items: [{}, {}],
    parameters: target('transform', { transformMode: 'read', kilobytes: 20, files: 1, seed: 1 }),
  },
  fanOut: { parameters: target('httpFanOut', { url: `${origin}/?key=secret`, requests: '={{ 7 }}', timeout: 1500 }) },
  fanOutError: { parameters: target('httpFanOut', { url: `${origin}/503`, requests: 2, timeout: 1500 }) },
  fanOutRedirect: { parameters: target('httpFanOut', { url: `${origin}/302`, requests: 2, timeout: 1500 }) },
  fanOutSlow: { parameters: target('httpFanOut', { url: `${origin}/slow`, requests: 3, timeout: 50 }) },
  fanOutLong: { parameters: target('httpFanOut', { url: `${origin}/long`, requests: 3, timeout: 200 }) },
  fanOutNobody: {
    items: [{ port: 1 }, { port: new URL(origin).port }],
    parameters: target('httpFanOut', { url: '=http://127.0.0.1:{{ $json.port }}/', requests: 2, timeout: 1500 }),
    continueOnFail: true,
  },
  fanOutElsewhere: {
    parameters: target('httpFanOut', { url: 'http://127.0.0.1@192.0.2.1/', requests: 2, timeout: 50 }),
  },
  fanOutAgain: {
    items: [{ headers: { 'n8n-tuned-fan-out-depth': '1' } }],
    source: 'n8n-nodes-base.webhook',
    parameters: target('httpFanOut', { url: `${origin}/again`, requests: 2, timeout: 1500 }),
  },
  fanOutLater: {
    items: [{ headers: { 'n8n-tuned-fan-out-depth': '1' } }],
    ...{ source: 'n8n-nodes-base.webhook', between: 'test.forgetful' },
    parameters: target('httpFanOut', { url: `${origin}/later`, requests: 2, timeout: 1500 }),
  },
  fanOutOfSubWorkflow: {
    mode: 'integrated',
    parameters: target('httpFanOut', { url: `${origin}/again`, requests: 2, timeout: 1500 }),
  },
  bad: { items: [{ ms: 1 }, { ms: 'soon' }], parameters: target('wait', { milliseconds: '={{ $json.ms }}' }) },
  continued: {
    items: [{ ms: 'soon' }, { ms: 1 }],
    parameters: target('wait', { milliseconds: '={{ $json.ms }}' }),
    continueOnFail: true,
  },
  twoNodes: { nodes: 2, parameters: target('wait', { milliseconds: 1001 }) },
  tooMuch: { parameters: target('holdMemory', { megabytes: 1025, milliseconds: 5, where: 'heap' }) },
  stopped: { parameters: target('wait', { milliseconds: 1900 }), cancelAfterMs: 20 },
  stoppedFanOut: {
    parameters: target('httpFanOut', { url: `${origin}/slow`, requests: 2, timeout: 1900 }),
    cancelAfterMs: 50,
  },
});

describe.each(RUNTIMES)('in the core of %s', (runtime, nodeVersion) => {
  type Name = keyof ReturnType<typeof executionsAt>;
  let results: Record<Name, Result>;
  const jsonOf = (name: Name) => results[name].items?.map(({ json }) => json);
  const identity = expect.objectContaining({ nodeVersion: expect.stringMatching(`^${nodeVersion}`) });
  const tookMs = expect.any(Number);

  beforeAll(async () => {
    requestsSeen = [];
    const named = Object.entries(executionsAt(address));
    const executions = named.map(([executionId, execution]) => ({ executionId, ...execution }));
    const all = await nodes.run(runtime, executions, { N8N_LOAD_TARGET_MAX_SECONDS: '2' });
    results = Object.fromEntries(named.map(([name], i) => [name, all[i]])) as typeof results;
  }, 60_000);

  test('every operation outputs its proof', () => {
    expect(jsonOf('identify')).toEqual([{ operation: 'identify', tookMs, identity }]);
    expect(jsonOf('count')).toEqual([{ operation: 'burnCpu', n: 1000, result: 499_500, tookMs, identity }]);
    expect(jsonOf('time')).toEqual([{ operation: 'burnCpu', ms: 20, result: expect.any(Number), tookMs, identity }]);
    expect(jsonOf('heap')).toEqual([{ operation: 'holdMemory', mb: 8, ms: 5, where: 'heap', tookMs, identity }]);
    expect(jsonOf('offHeap')).toEqual([{ operation: 'holdMemory', mb: 8, ms: 5, where: 'offHeap', tookMs, identity }]);
    const blockedMs = expect.any(Number);
    expect(jsonOf('block')).toEqual([{ operation: 'blockEventLoop', ms: 20, blockedMs, tookMs, identity }]);
  });

  test('expressions are resolved for each item, strings of digits are numbers, items are paired', () => {
    expect(jsonOf('wait')).toEqual([
      { operation: 'wait', ms: 5, tookMs, identity },
      { operation: 'wait', ms: 7, tookMs, identity },
    ]);
    expect(results.wait.items?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
  });

  test('a payload has several items for each input item, of the requested size, as JSON and as files', () => {
    const items = results.payload.items ?? [];
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }, { item: 1 }, { item: 1 }]);
    expect(items.map(({ json }) => JSON.stringify(json).length)).toEqual([2048, 2048, 3072, 3072]);
    expect(items.map(({ json }) => [json.seed, json.index])).toEqual([
      [5, 0],
      [5, 1],
      [5, 0],
      [5, 1],
    ]);
    expect(results.binary.items?.map(({ json }) => json)).toEqual([
      { index: 0, seed: 5, bytes: 4096 },
      { index: 1, seed: 5, bytes: 4096 },
    ]);
    const [{ data }] = results.binary.items?.map(({ binary }) => binary) ?? [];
    expect(data).toMatchObject({ mimeType: 'application/octet-stream', fileName: 'payload-5-0.bin' });
    expect(Buffer.from(data.data, 'base64')).toHaveLength(4096);
  });

  test('a transformed document is the same in every mode; its files are removed with the process', () => {
    const sha256 = jsonOf('generate')?.[0].sha256;
    const proof = { operation: 'transform', kilobytes: 20, seed: 1, bytes: 20_480, sha256, tookMs, identity };
    expect(sha256).toMatch(/^[\da-f]{64}$/);
    expect(jsonOf('generate')).toEqual([{ ...proof, mode: 'generate' }]);
    expect(jsonOf('write')).toEqual([{ ...proof, mode: 'write', fileBytes: 20_480 }]);
    const read = { ...proof, mode: 'read', files: 1, file: 0 };
    expect(jsonOf('read')).toEqual([read, read]);
    expect(readdirSync(nodes.folder).filter((name) => name.startsWith('n8n-nodes-tuned-'))).toEqual([]);
  });

  test('requests fan out; answers of any status count; redirects are not followed', () => {
    const times = { fastestMs: tookMs, medianMs: tookMs, slowestMs: tookMs };
    const proof = { operation: 'httpFanOut', failed: 0, ...times, tookMs, identity };
    expect(jsonOf('fanOut')).toEqual([{ ...proof, url: `${address}/`, requests: 7, statuses: { 200: 7 } }]);
    expect(jsonOf('fanOutError')).toEqual([{ ...proof, url: `${address}/503`, requests: 2, statuses: { 503: 2 } }]);
    expect(jsonOf('fanOutRedirect')).toEqual([{ ...proof, url: `${address}/302`, requests: 2, statuses: { 302: 2 } }]);
    expect(requestsSeen.filter((url) => url === '/?key=secret')).toHaveLength(7);
    expect(requestsSeen).not.toContain('/moved');
  });

  test('a fan-out that another fan-out started sends nothing, if the core shows the nodes before it', () => {
    expect(results.fanOutAgain.error).toMatch(/^This execution was started by a request of HTTP Fan-Out/);
    expect(results.fanOutOfSubWorkflow.error).toMatch(/^A sub-workflow or an error workflow sends no fan-out/);
    expect(requestsSeen).not.toContain('/again');
    if (runtime === 'n8n-0') {
      expect(jsonOf('fanOutLater')).toEqual([expect.objectContaining({ statuses: { 200: 2 } })]);
    } else {
      expect(results.fanOutLater.error).toEqual(results.fanOutAgain.error);
      expect(requestsSeen).not.toContain('/later');
    }
  });

  test('requests without an answer fail with URL and cause', () => {
    const none = (n: number, path: string) => `None of ${n} requests to ${address}${path} was answered: `;
    expect(results.fanOutSlow.error).toBe(`${none(3, '/slow')}no answer within 50 ms`);
    expect(results.fanOutLong.error).toBe(`${none(3, '/long')}no answer within 200 ms`);
    expect(jsonOf('fanOutNobody')).toEqual([
      { error: expect.stringMatching(/^None of 2 requests to http:\/\/127\.0\.0\.1:1\/ was answered: .*ECONNREFUSED/) },
      expect.objectContaining({ statuses: { 200: 2 } }),
    ]);
    expect(results.fanOutElsewhere.error).toMatch(/^URL has a user or password in it/);
  });

  test('a bad value fails the execution, or only its item with "Continue On Fail"', () => {
    expect(results.bad.error).toMatch(/^Milliseconds cannot be "soon"$/);
    expect(jsonOf('continued')).toEqual([
      {
        error: expect.stringMatching(/^Milliseconds cannot be "soon"\. Set Milliseconds to a number from 0 to 2000 ms/),
      },
      { operation: 'wait', ms: 1, tookMs, identity },
    ]);
  });

  test('the ceilings hold, also over all nodes of an execution', () => {
    expect(results.twoNodes.error).toMatch(/^1001 ms requested, but 1\d{3}(\.\d+)? ms are already used or reserved$/);
    expect(results.tooMuch.error).toMatch(/^Megabytes cannot be 1025$/);
    expect(results.tooMuchPayload.error).toMatch(/^65 MB requested, but 0 MB are already used or reserved$/);
  });

  test('a stopped execution ends as canceled, if the core can notify the node before the work ends', () => {
    const canceled = expect.stringMatching(/has been canceled|execution was cancelled/i);
    if (runtime === 'n8n-0') expect(results.stopped.error).toEqual(canceled);
    else {
      expect(results.stopped).toEqual({ status: 'canceled', items: [], error: canceled });
      expect(results.stoppedFanOut).toEqual({ status: 'canceled', items: [], error: canceled });
    }
  });
});
