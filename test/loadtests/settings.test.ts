import { catalogue, lib } from './support.js';

const { readMix, readSettings, readWebhook, serviceSeconds } = await lib('settings');

describe('readSettings', () => {
  it('has a default for everything', () => {
    expect(readSettings({}, catalogue['webhook-wait'])).toEqual({
      urls: ['http://localhost:5678'],
      token: '',
      model: 'open',
      rates: ['1', '2', '5'],
      clients: 8,
      duration: 30,
      warmup: 5,
      gap: 5,
      timeout: 60,
      pause: 1,
      maxVUs: undefined,
      abortErrors: 0,
      builtIn: [],
      queries: [{ seconds: 5 }],
    });
  });

  it('takes an empty variable for one that is not set', () => {
    expect(readSettings({ BASE_URL: '', RATES: ' ', TOKEN: '', MAX_VUS: '' })).toEqual(readSettings({}));
  });

  it('reads lists, durations and paths', () => {
    const settings = readSettings({
      BASE_URL: 'http://127.0.0.1:5678/, https://n8n.example/hooks/',
      RATES: '0.5, 1,20',
      DURATION: '1m30s',
      WARMUP: '0s',
      GAP: '500ms',
      TIMEOUT: '1.5s',
      MAX_VUS: '20',
    });
    expect(settings).toMatchObject({
      urls: ['http://127.0.0.1:5678', 'https://n8n.example/hooks'],
      rates: ['0.5', '1', '20'],
      duration: 90,
      warmup: 0,
      gap: 0.5,
      timeout: 1.5,
      maxVUs: 20,
    });
  });

  it('reads a duration for each rate', () => {
    expect(readSettings({ RATES: '1,20,1', DURATIONS: '20s, 1s,1m' }).durations).toEqual([20, 1, 60]);
  });

  it.each([
    ['webhook-ack', 'BASE_URL', 'localhost:5678', 'one URL or several separated by commas'],
    ['webhook-ack', 'BASE_URL', 'http://localhost:5678,', 'one URL or several separated by commas'],
    ['webhook-ack', 'BASE_URL', 'http://localhost:5678?a=1', 'one URL or several separated by commas'],
    ['webhook-ack', 'MODEL', 'half-open', 'open or closed'],
    ['webhook-ack', 'RATES', '1,x', 'arrival rates per second above 0'],
    ['webhook-ack', 'RATES', '1,,2', 'arrival rates per second above 0'],
    ['webhook-ack', 'RATES', '0', 'arrival rates per second above 0'],
    ['webhook-ack', 'RATES', '-1', 'arrival rates per second above 0'],
    ['webhook-ack', 'RATES', '100001', 'arrival rates per second above 0 and up to 100000'],
    ['webhook-ack', 'DURATIONS', '30s', 'a duration of 1s or more for each of the 3 RATES'],
    ['webhook-ack', 'DURATIONS', '30s,0.5s,1m', 'a duration of 1s or more for each of the 3 RATES'],
    ['webhook-ack', 'DURATIONS', '30s,10,1m', 'a duration of 1s or more for each of the 3 RATES'],
    ['webhook-ack', 'CLIENTS', '0', 'a whole number from 1 to 100000'],
    ['webhook-ack', 'CLIENTS', '1.5', 'a whole number from 1 to 100000'],
    ['webhook-ack', 'DURATION', '30', 'a duration of 1s or more, such as 30s or 1m30s'],
    ['webhook-ack', 'DURATION', '900ms', 'a duration of 1s or more'],
    ['webhook-ack', 'WARMUP', '500ms', '0s or a duration of 1s or more'],
    ['webhook-ack', 'GAP', '-1s', 'a duration of 0s or more'],
    ['webhook-ack', 'TIMEOUT', '0s', 'a duration of 0.1s or more'],
    ['webhook-wait', 'TIMEOUT', '3s', 'more than the 5 s that the answer takes by design'],
    ['webhook-ack', 'MAX_VUS', '0', 'a whole number from 1 to 100000'],
    ['webhook-ack', 'PAUSE', 'no', 'a number from 0 to 3600'],
    ['webhook-wait', 'SECONDS', '61', 'a number from 0 to 60'],
    ['webhook-wait', 'SECONDS', '5s', 'a number from 0 to 60'],
    ['memory-hog', 'MB', '0.5', 'a whole number from 1 to 1024'],
    ['memory-hog', 'MB', '1025', 'a whole number from 1 to 1024'],
    ['memory-hog', 'MS', '60001', 'a whole number from 0 to 60000'],
    ['cpu-burn', 'N', '1e6', 'a whole number from 1 to 10000000000'],
    ['payload', 'ITEMS', '0', 'a whole number from 1 to 10000'],
    ['payload', 'PAYLOAD_KB', '65537', 'a whole number from 1 to 65536'],
    ['transform', 'TRANSFORM_KB', '16385', 'a whole number from 1 to 16384'],
    ['http-fan-out', 'REQUESTS', '101', 'a whole number from 1 to 100'],
    ['event-loop-block', 'BLOCK_MS', '60001', 'a whole number from 0 to 60000'],
  ])('of %s refuses %s=%j', (workload, variable, value, allowed) => {
    const message = `${variable} is ${JSON.stringify(value)}: allowed is `;
    const read = () => readSettings({ [variable]: value }, catalogue[workload]);
    expect(read).toThrow(message);
    expect(read).toThrow(allowed);
  });

  it('refuses a token that no header can carry, without showing it', () => {
    expect(() => readSettings({ TOKEN: 'two\nlines' })).toThrow('TOKEN is "***": allowed is printable ASCII');
  });

  it('ignores the query of other workloads', () => {
    expect(readSettings({ MB: 'many' }, catalogue['webhook-ack']).queries).toEqual([{}]);
  });
});

describe('parameters of the same name', () => {
  it('have the value of their own workload in a mix', () => {
    const workloads = ['cpu-burn', 'http-fan-out', 'memory-hog', 'event-loop-block'].map((name) => catalogue[name]);
    const { queries } = readSettings({ REQUESTS: '20', BLOCK_MS: '30' }, ...workloads);
    expect(queries).toEqual([{ n: 5_000_000 }, { n: 20 }, { mb: 64, ms: 1000 }, { ms: 30 }]);
  });

  it('are read from one variable only where they are the same in all', () => {
    const ranges = Object.values<any>(catalogue).flatMap(({ query }) => Object.entries<any>(query));
    for (const [name, range] of ranges) {
      const namesakes = ranges.filter(([, other]) => other.env === range.env);
      expect(namesakes).toEqual(namesakes.map(() => [name, range]));
    }
  });
});

describe('serviceSeconds', () => {
  it.each([
    ['webhook-ack', {}, 0],
    ['webhook-wait', { seconds: 2.5 }, 2.5],
    ['webhook-ack-wait', { seconds: 5 }, 0],
    ['memory-hog', { mb: 64, ms: 1500 }, 1.5],
    ['event-loop-block', { ms: 500 }, 0.5],
  ])('of %s with %j is %d', (workload, query, seconds) => {
    expect(serviceSeconds(catalogue[workload], query)).toBe(seconds);
  });
});

describe('readMix', () => {
  it('gives names and weights', () => {
    expect(readMix({ MIX: '{"webhook-ack": 3, "webhook-wait": 0.5}' }, catalogue)).toEqual([
      ['webhook-ack', 3],
      ['webhook-wait', 0.5],
    ]);
  });

  it.each([
    [undefined],
    [''],
    ['webhook-ack'],
    ['[]'],
    ['{}'],
    ['null'],
    ['{"webhook-ack": 0}'],
    ['{"webhook-ack": "3"}'],
    ['{"webhook-ack": 3, "toString": 1}'],
  ])('refuses %j', (MIX) => {
    expect(() => readMix({ MIX }, catalogue)).toThrow(
      /^MIX is .*: allowed is a JSON object of weights .*cpu-burn.*code$/,
    );
  });

  it('refuses the closed model', () => {
    expect(() => readMix({ MIX: '{"webhook-ack": 1}', MODEL: 'closed' }, catalogue)).toThrow('MODEL is "closed"');
  });
});

describe('readWebhook', () => {
  const files: Record<string, string> = { '/b.json': '{"a":1}', '/b.bin': 'x', '/h.json': '{"X-Api-Key":"hunter2"}' };
  const open = (name: string) => files[name] ?? '';
  const read = (env: object) => readWebhook({ WEBHOOK_PATH: '/webhook/order', ...env }, open);

  it('has a default for everything but the path', () => {
    expect(read({})).toEqual({
      path: '/webhook/order',
      method: 'GET',
      body: null,
      headers: {},
      expected: { statuses: { min: 200, max: 299 } },
      serviceTimeSeconds: 0,
      query: {},
    });
  });

  it('reads method, status, time, body and headers', () => {
    const env = { METHOD: 'POST', EXPECT_STATUS: '302', SERVICE_SECONDS: '1.5', BODY: '{"a":1}', HEADERS: '{"a":"b"}' };
    expect(read(env)).toMatchObject({
      method: 'POST',
      body: '{"a":1}',
      headers: { a: 'b', 'content-type': 'application/json' },
      expected: { statuses: { min: 302, max: 302 } },
      serviceTimeSeconds: 1.5,
    });
  });

  it.each([
    [{ BODY: 'plain' }, 'text/plain'],
    [{ BODY_FILE: '/b.json' }, 'application/json'],
    [{ BODY_FILE: '/b.bin' }, 'application/octet-stream'],
    [{ BODY_FILE: '/b.json', HEADERS: '{"Content-Type":"text/csv"}' }, undefined],
  ])('%j is sent as %s', (env, type) => expect(read(env).headers['content-type']).toBe(type));

  it.each([
    [{ WEBHOOK_PATH: '' }, 'WEBHOOK_PATH is "": allowed is the path of a webhook'],
    [{ WEBHOOK_PATH: 'order' }, 'WEBHOOK_PATH is "order"'],
    [{ METHOD: 'FETCH' }, 'METHOD is "FETCH": allowed is GET, POST'],
    [{ EXPECT_STATUS: 'ok' }, 'EXPECT_STATUS is "ok": allowed is an HTTP status'],
    [{ SERVICE_SECONDS: '601' }, 'SERVICE_SECONDS is "601": allowed is a number from 0 to 600'],
    [{ BODY_FILE: 'b.json' }, 'BODY_FILE is "b.json": allowed is an absolute path'],
    [{ BODY_FILE: '/b.json', BODY: 'x' }, 'BODY_FILE is "/b.json": allowed is this or BODY, not both'],
    [{ HEADERS: 'hunter2' }, 'HEADERS is "***": allowed is a JSON object'],
    [{ HEADERS: '{"a":1}' }, 'HEADERS is "***": allowed is a JSON object'],
  ])('refuses %j', (env, message) => expect(() => read(env)).toThrow(message));
});
