import { catalogue, importLib } from './support.js';

const { readMix, readSettings, readWebhook, serviceSeconds } = await importLib('settings');

/** Variable and value of the BadSetting that `read` throws. Its message is one line that names both. */
function refusalOf(read: () => unknown): { variable: string; value: string } | undefined {
  try {
    read();
  } catch (error) {
    const { name, message, variable, value } = error as Error & { variable: string; value: string };
    expect(name).toBe('BadSetting');
    expect(message.split('\n')).toHaveLength(1);
    expect(message).toContain(variable);
    expect(message).toContain(JSON.stringify(value));
    return { variable, value };
  }
  return undefined;
}

describe('readSettings', () => {
  it('requires the path of the file for recorded arrivals', () => {
    const recorded = (file: string) => () => readSettings({ ARRIVALS: 'recorded', ARRIVALS_FILE: file });
    expect(recorded('/a/b.json')()).toMatchObject({ arrivals: 'recorded', arrivalsFile: '/a/b.json' });
    expect(recorded('b.json')).toThrow('ARRIVALS_FILE');
  });

  it('has a default for everything', () => {
    expect(readSettings({}, catalogue['webhook-wait'])).toEqual({
      urls: ['http://localhost:5678'],
      token: '',
      model: 'open',
      arrivals: 'poisson',
      arrivalsFile: '',
      seed: 1,
      rates: ['1', '2', '5'],
      clients: 8,
      duration: 30,
      warmup: 5,
      gap: 5,
      timeout: 60,
      pause: 1,
      maxVUs: undefined,
      abortErrors: 0,
      abortSlow: [],
      builtIn: [],
      queries: [{ seconds: 5 }],
    });
  });

  it('reads the numbers of slow answers that end a run', () => {
    expect(readSettings({ ABORT_SLOW: '0.8:75, 5:15' }).abortSlow).toEqual([
      { seconds: 0.8, answers: 75 },
      { seconds: 5, answers: 15 },
    ]);
  });

  it('treats an empty variable as not set', () => {
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
    ['webhook-ack', 'BASE_URL', 'localhost:5678'],
    ['webhook-ack', 'BASE_URL', 'http://localhost:5678,'],
    ['webhook-ack', 'BASE_URL', 'http://localhost:5678?a=1'],
    ['webhook-ack', 'MODEL', 'half-open'],
    ['webhook-ack', 'RATES', '1,x'],
    ['webhook-ack', 'RATES', '1,,2'],
    ['webhook-ack', 'RATES', '0'],
    ['webhook-ack', 'RATES', '-1'],
    ['webhook-ack', 'RATES', '100001'],
    ['webhook-ack', 'DURATIONS', '30s'],
    ['webhook-ack', 'DURATIONS', '30s,0.5s,1m'],
    ['webhook-ack', 'DURATIONS', '30s,10,1m'],
    ['webhook-ack', 'CLIENTS', '0'],
    ['webhook-ack', 'CLIENTS', '1.5'],
    ['webhook-ack', 'DURATION', '30'],
    ['webhook-ack', 'DURATION', '900ms'],
    ['webhook-ack', 'WARMUP', '500ms'],
    ['webhook-ack', 'GAP', '-1s'],
    ['webhook-ack', 'TIMEOUT', '0s'],
    ['webhook-wait', 'TIMEOUT', '3s'],
    ['webhook-ack', 'MAX_VUS', '0'],
    ['webhook-ack', 'ABORT_SLOW', '1'],
    ['webhook-ack', 'ABORT_SLOW', '1:0'],
    ['webhook-ack', 'ABORT_SLOW', '1:75,'],
    ['webhook-ack', 'PAUSE', 'no'],
    ['webhook-wait', 'SECONDS', '61'],
    ['webhook-wait', 'SECONDS', '5s'],
    ['memory-hog', 'MB', '0.5'],
    ['memory-hog', 'MB', '1025'],
    ['memory-hog', 'MS', '60001'],
    ['cpu-burn', 'N', '1e6'],
    ['payload', 'ITEMS', '0'],
    ['payload', 'PAYLOAD_KB', '65537'],
    ['transform', 'TRANSFORM_KB', '16385'],
    ['http-fan-out', 'REQUESTS', '101'],
    ['event-loop-block', 'BLOCK_MS', '60001'],
  ])('of %s refuses %s=%j', (workload, variable, value) => {
    expect(refusalOf(() => readSettings({ [variable]: value }, catalogue[workload]))).toEqual({ variable, value });
  });

  it('refuses a token that no header can carry, without showing it', () => {
    expect(refusalOf(() => readSettings({ TOKEN: 'two\nlines' }))).toEqual({ variable: 'TOKEN', value: '***' });
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

  it('are read from one variable only if they are the same in all workloads', () => {
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
    expect(refusalOf(() => readMix({ MIX }, catalogue))).toEqual({ variable: 'MIX', value: MIX ?? '' });
  });

  it('refuses the closed model', () => {
    const closed = { MIX: '{"webhook-ack": 1}', MODEL: 'closed' };
    expect(refusalOf(() => readMix(closed, catalogue))).toEqual({ variable: 'MODEL', value: 'closed' });
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
    [{ WEBHOOK_PATH: '' }, 'WEBHOOK_PATH', ''],
    [{ WEBHOOK_PATH: 'order' }, 'WEBHOOK_PATH', 'order'],
    [{ METHOD: 'FETCH' }, 'METHOD', 'FETCH'],
    [{ EXPECT_STATUS: 'ok' }, 'EXPECT_STATUS', 'ok'],
    [{ SERVICE_SECONDS: '601' }, 'SERVICE_SECONDS', '601'],
    [{ BODY_FILE: 'b.json' }, 'BODY_FILE', 'b.json'],
    [{ BODY_FILE: '/b.json', BODY: 'x' }, 'BODY_FILE', '/b.json'],
    [{ HEADERS: 'hunter2' }, 'HEADERS', '***'],
    [{ HEADERS: '{"a":1}' }, 'HEADERS', '***'],
  ])('refuses %j', (env, variable, value) => {
    expect(refusalOf(() => read(env))).toEqual({ variable, value });
  });
});
