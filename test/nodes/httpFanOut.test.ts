import { hostname } from 'node:os';
import { PassThrough, Readable } from 'node:stream';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { findBudget } from '../../nodes/LoadTarget/ceilings/execution';
import { ceilings } from '../../nodes/LoadTarget/ceilings/ceiling';
import { proofOf, reachedCeiling, refusedParameter, resetEnvironment, run } from './support/execution';

afterEach(resetEnvironment);

const fanOut = (given: object = {}) => ({
  ...{ operation: 'httpFanOut', url: 'http://localhost:5678/healthz?key=secret', requests: 3, timeout: 5000 },
  ...given,
});
const answer = (statusCode: number) => ({ statusCode, headers: {}, body: Readable.from(['an', 'swer']) });
/** n8n's helper, which returns these answers in turn. */
const fakeHelpers = (...answers: Array<() => unknown>) => {
  let asked = 0;
  const httpRequest = jest.fn((_: IHttpRequestOptions) =>
    Promise.resolve().then(() => answers[asked++ % answers.length]!()),
  );
  return { httpRequest };
};
const refused = () => {
  throw new Error('connect ECONNREFUSED 127.0.0.1:5678');
};
const never = () => new Promise(() => undefined);

test('sends requests at once and counts their answers', async () => {
  const helpers = fakeHelpers(
    () => answer(200),
    () => answer(503),
    () => answer(200),
  );
  const proof = await proofOf(fanOut(), helpers);
  expect(proof).toEqual({
    ...{ operation: 'httpFanOut', url: 'http://localhost:5678/healthz', requests: 3 },
    ...{ statuses: { 200: 2, 503: 1 }, failed: 0 },
    ...{ fastestMs: expect.any(Number), medianMs: expect.any(Number), slowestMs: expect.any(Number) },
    ...{ tookMs: expect.any(Number), identity: expect.anything() },
  });
  expect(proof.fastestMs).toBeLessThanOrEqual(proof.medianMs);
  expect(proof.medianMs).toBeLessThanOrEqual(proof.slowestMs);
  expect(proof.slowestMs).toBeLessThanOrEqual(proof.tookMs);
  expect(helpers.httpRequest).toHaveBeenCalledTimes(3);
  expect(helpers.httpRequest.mock.calls[0]?.[0]).toMatchObject({
    ...{ method: 'GET', url: 'http://localhost:5678/healthz?key=secret', timeout: 6000 },
    ...{ disableFollowRedirect: true, ignoreHttpStatusErrors: true },
  });
});

test('measures the time until the end of the body', async () => {
  const slow = () => {
    const body = new PassThrough();
    setTimeout(() => body.end('late'), 20);
    return { statusCode: 200, headers: {}, body };
  };
  expect((await proofOf(fanOut({ requests: 1 }), fakeHelpers(slow))).fastestMs).toBeGreaterThanOrEqual(19);
});

test('a request without an answer has failed; the others count', async () => {
  const broken = () => ({ statusCode: 200, headers: {}, body: new Readable({ read: () => undefined }).destroy() });
  const helpers = fakeHelpers(() => answer(200), refused, never, broken);
  const proof = await proofOf(fanOut({ requests: 8, timeout: 300 }), helpers);
  expect(proof).toMatchObject({ requests: 8, statuses: { 200: 2 }, failed: 6 });
});

test('without any answer the item fails, with URL and cause', async () => {
  const failure = (cause: string) => new RegExp(`http://localhost:5678/healthz .*${cause}`);
  await expect(proofOf(fanOut(), fakeHelpers(refused))).rejects.toThrow(failure('ECONNREFUSED'));
  await expect(proofOf(fanOut({ timeout: 10 }), fakeHelpers(never))).rejects.toThrow(failure('10 ms'));
  const unnamed = () => Promise.reject(Object.assign(new Error(''), { code: 'ECONNRESET' }));
  await expect(proofOf(fanOut(), fakeHelpers(unnamed))).rejects.toThrow(failure('ECONNRESET'));
});

test('aborts open requests after the timeout and when the execution is stopped', async () => {
  const inTime = fakeHelpers(never);
  await expect(proofOf(fanOut({ timeout: 10 }), inTime)).rejects.toThrow('10 ms');
  expect(inTime.httpRequest.mock.calls.map(([{ abortSignal }]) => abortSignal?.aborted)).toEqual([true, true, true]);

  const execution = new AbortController();
  const helpers = fakeHelpers(never);
  const executionId = 'stopped fan-out';
  const sending = run({ parameters: [fanOut(), fanOut()], helpers, executionId, signal: execution.signal });
  setTimeout(() => execution.abort(), 5);
  expect(await sending).toEqual([]);
  expect(helpers.httpRequest.mock.calls.map(([{ abortSignal }]) => abortSignal?.aborted)).toEqual([true, true, true]);
  const { requests, time } = findBudget(executionId);
  expect([requests.taken, requests.idle, time.idle]).toEqual([3, true, true]);
  expect(time.free).toBeGreaterThan(55_000);
});

test('drops a body that never ends after the timeout', async () => {
  const body = new Readable({ read: () => undefined });
  await expect(
    proofOf(
      fanOut({ requests: 1, timeout: 10 }),
      fakeHelpers(() => ({ ...answer(200), body })),
    ),
  ).rejects.toThrow('10 ms');
  expect(body.destroyed).toBe(true);
});

describe('the ceilings', () => {
  test('of requests are summed over the items and nodes of an execution', async () => {
    process.env.N8N_LOAD_TARGET_MAX_REQUESTS = '7';
    const helpers = fakeHelpers(() => answer(200));
    const again = (requests: number) =>
      run({ parameters: [fanOut({ requests })], helpers, executionId: 'many requests' });
    await again(5);
    await expect(again(3)).rejects.toMatchObject(reachedCeiling(ceilings.requests, { requested: 3, taken: 5 }));
    await expect(again(8)).rejects.toMatchObject(refusedParameter('Requests'));
    await again(2);
    expect(helpers.httpRequest).toHaveBeenCalledTimes(7);
  });

  test('of time shorten the wait for an answer', async () => {
    process.env.N8N_LOAD_TARGET_MAX_SECONDS = '0.03';
    const helpers = fakeHelpers(never);
    await expect(proofOf(fanOut(), helpers)).rejects.toThrow('30 ms');
    const used = { executionId: 'no time left' };
    await run({ parameters: [{ operation: 'wait', milliseconds: 30 }], ...used });
    await expect(run({ parameters: [fanOut()], helpers, ...used })).rejects.toMatchObject(
      reachedCeiling(ceilings.seconds),
    );
    expect(helpers.httpRequest).toHaveBeenCalledTimes(3);
  });
});

test.each([
  [{ url: 'http://192.0.2.1/' }, 'URL'],
  [{ url: 'healthz' }, 'URL'],
  [{ requests: 0 }, 'Requests'],
  [{ requests: 101 }, 'Requests'],
  [{ timeout: 0 }, 'Timeout'],
  [{ timeout: '1 min' }, 'Timeout'],
])('refuses %j and sends nothing', async (given, parameter) => {
  const helpers = fakeHelpers(() => answer(200));
  await expect(proofOf(fanOut(given), helpers)).rejects.toMatchObject(refusedParameter(parameter));
  expect(helpers.httpRequest).not.toHaveBeenCalled();
});

describe('a fan-out that leads to another', () => {
  const headers = (depth: unknown) => ({ headers: { 'n8n-tuned-fan-out-depth': depth } }) as never;
  const parameters = [fanOut({ requests: 1 })];

  test('each request says that it is one', async () => {
    const helpers = fakeHelpers(() => answer(200));
    await run({ parameters, helpers });
    expect(helpers.httpRequest.mock.calls[0]?.[0].headers).toEqual({ 'n8n-tuned-fan-out-depth': '1' });
  });

  test.each([
    ['the input item says so', { input: [headers('1')] }],
    ['a Webhook node before it says so', { webhooks: { Webhook: headers('1') } }],
    ['one of several Webhook nodes says so', { webhooks: { Other: undefined, Webhook: headers('2') } }],
  ])('is refused if %s', async (_, given) => {
    const helpers = fakeHelpers(() => answer(200));
    await expect(run({ parameters, helpers, ...given })).rejects.toMatchObject(reachedCeiling(ceilings.fanOuts));
    expect(helpers.httpRequest).not.toHaveBeenCalled();
  });

  test.each([{}, headers('0'), headers('-1'), headers('many'), headers(undefined), { headers: null }])(
    'is not seen in %j',
    async (json) => {
      const helpers = fakeHelpers(() => answer(200));
      await run({ parameters, helpers, input: [json], webhooks: { Webhook: json } });
      expect(helpers.httpRequest).toHaveBeenCalledTimes(1);
    },
  );

  describe.each(['integrated', 'error'] as const)('in an execution of mode %s, where it is not seen,', (mode) => {
    const sent = async (url: string, more: object = {}) => {
      process.env.N8N_LOAD_TARGET_ALLOWED_HOSTS = `${new URL(url).hostname.replace(/^\[|\]$/g, '')}`;
      const helpers = fakeHelpers(() => answer(200));
      const failure = await run({ parameters: [fanOut({ url, requests: 1 })], helpers, mode, ...more }).then(
        () => undefined,
        (error: Error & { description?: string }) => `${error.message}. ${error.description}`,
      );
      return { failure, requests: helpers.httpRequest.mock.calls.length };
    };
    const variables = ['WEBHOOK_URL', 'N8N_HOST'];
    afterEach(() => variables.forEach((name) => delete process.env[name]));

    test.each([
      ...[
        'http://localhost:5678/webhook/x',
        'http://127.1/webhook/x',
        'http://[::1]:8080/',
        'http://[::ffff:127.0.0.1]/',
      ],
      ...['http://0.0.0.0:5678/', `http://${hostname()}:5678/`, 'https://n8n.example.com/webhook/x'],
      'http://n8n.internal:5678/',
    ])('%s is refused', async (url) => {
      process.env.WEBHOOK_URL = 'https://n8n.example.com/';
      process.env.N8N_HOST = 'n8n.internal';
      expect(await sent(url)).toEqual({
        failure: expect.stringMatching(/error workflow sends no fan-out to n8n itself.*Move HTTP Fan-Out/),
        requests: 0,
      });
    });

    test('another host is called', async () => {
      process.env.WEBHOOK_URL = 'https://n8n.example.com/';
      expect(await sent('http://192.0.2.7:8080/')).toEqual({ failure: undefined, requests: 1 });
    });

    test('an input item that says so is refused for every host', async () => {
      expect(await sent('http://192.0.2.7:8080/', { input: [headers('1')] })).toMatchObject({ requests: 0 });
    });
  });

  test.each(['webhook', 'trigger', 'manual', 'retry'] as const)('mode %s calls this machine', async (mode) => {
    const helpers = fakeHelpers(() => answer(200));
    await run({ parameters, helpers, mode });
    expect(helpers.httpRequest).toHaveBeenCalledTimes(1);
  });
});
