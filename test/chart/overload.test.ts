import { env, notes, own, queue, render, valuesOf, type Component, type Values } from './render.js';

/** How many requests at once the chart lets each process work on. */
const limit = (values: Values, component: Component = 'main') => env(render(values), component).N8N_TUNED_MAX_REQUESTS;
const memory = (amount: string) => ({ resources: { limits: { memory: amount } } });
const legacy = { type: 'legacy', acceptLessSafe: true };
const database = { type: 'postgresql', poolSize: 5 };
const workers = { replicas: 2, concurrency: 15 };

describe('the memory of webhook processors', () => {
  const toSet = /webhook\.resources\.limits\.memory to (\d+)Mi/;

  it.each(['queue', 'medium', 'large'])('holds what they admit with profiles/%s.yaml', async (name) =>
    expect(await notes(valuesOf(`profiles/${name}.yaml`))).not.toMatch(toSet),
  );

  it('is named in the notes where it does not, and holds them then', async () => {
    const many = {
      ...queue({ worker: { replicas: 4, concurrency: 15 } }),
      database,
    };
    const [said, enough] = toSet.exec(await notes({ ...many, webhook: memory('1Gi') }))!;
    expect(said).toBe('webhook.resources.limits.memory to 1152Mi'); // (45 × 5 + 704) ÷ 85 % = 1093
    expect(await notes({ ...many, webhook: memory(`${enough}Mi`) })).not.toMatch(toSet);
  });
});

describe('most requests under way', () => {
  it.each<[string, Values, string]>([
    ['what the memory holds: (2048 × 0.85 - 864) ÷ 10', {}, '87'],
    ['÷ 17 where isolates have their table', { expressionEngine: { lazyCharacterTable: false } }, '51'],
    ['more memory holds more, but at most 100', { main: memory('3Gi') }, '100'],
    ['what requests take', { overload: { requestMegabytes: 30 } }, '29'],
    ['at most 100, where a request takes 2 MiB', { expressionEngine: legacy }, '100'],
    ['no fewer than run at once', { executions: { concurrencyLimit: 95 } }, '95'],
    ['no fewer than five', { main: { ...memory('1050Mi') } }, '5'],
    [
      'without a memory limit: 100',
      { heap: { enabled: false }, main: { resources: { limits: { memory: null } } } },
      '100',
    ],
    ['as many as own mode has children', own(4, '1Gi'), '4'],
    ['what the values say', { overload: { maxRequests: 7 } }, '7'],
  ])('%s', (_, values, expected) => expect(limit(values)).toBe(expected));

  it('queue mode: three quarters of what all workers run at once, in each of two webhook processors', () =>
    expect(limit(queue({ worker: workers }), 'webhook')).toBe('23'));

  it('queue mode: one and a half times its share of the slots, in each of several webhook processors', () => {
    const webhook = { replicas: 3, ...memory('2Gi') };
    expect(limit(queue({ worker: { replicas: 4, concurrency: 15 }, webhook }), 'webhook')).toBe('30');
  });

  it('queue mode: no more than can be executed at once, however much the memory holds', () => {
    expect(limit(queue({ webhook: memory('4Gi'), worker: workers }), 'webhook')).toBe('23');
    expect(limit(queue({ webhook: { replicas: 0 }, main: memory('4Gi'), worker: workers }))).toBe('30');
  });

  it('queue mode: one and a half times its share, in each of several mains without webhook processors', () => {
    const multiMain = { enabled: true, replicas: 3 };
    const license = { existingSecret: 'license' };
    const main = { ...memory('4Gi'), persistence: { enabled: false } };
    expect(limit(queue({ multiMain, license, main, webhook: { replicas: 0 }, worker: workers }))).toBe('15');
  });

  it('queue mode: as many as all workers may become', () => {
    const autoscaling = { type: 'keda', minReplicas: 1, maxReplicas: 4 };
    expect(limit(queue({ worker: { ...workers, autoscaling }, webhook: memory('2Gi') }), 'webhook')).toBe('45');
  });

  it('queue mode: what the memory holds, and at least the slots of one worker', () => {
    const worker = { replicas: 3, concurrency: 40 };
    const of = (amount: string) => limit(queue({ worker, webhook: memory(amount), database }), 'webhook');
    expect(of('1152Mi')).toBe('55'); // (1152 × 0.85 - 704) ÷ 5
    expect(of('1Gi')).toBe('40');
  });

  it('main of queue mode takes webhooks only without webhook processors', () => {
    expect(limit(queue())).toBeUndefined();
    expect(limit(queue({ webhook: { replicas: 0 }, worker: workers }))).toBeDefined();
  });
});

it('the line has a length and a longest wait', () =>
  expect(env(render({ overload: { queue: 30, maxWaitSeconds: 0.5 } }), 'main')).toMatchObject({
    N8N_TUNED_MAX_WAITING: '30',
    N8N_TUNED_MAX_WAIT_SECONDS: '0.5',
  }));

it.each<[string, Values, string]>([
  ['regular mode', {}, 'true'],
  ['queue mode', queue({ webhook: { replicas: 0 } }), 'true'],
  [
    'workers by CPU',
    queue({ webhook: { replicas: 0 }, worker: { autoscaling: { type: 'hpa', maxReplicas: 4 } } }),
    'true',
  ],
  [
    'workers by executions',
    queue({ webhook: { replicas: 0 }, worker: { autoscaling: { type: 'keda', maxReplicas: 4 } } }),
    'false',
  ],
])('the limit is lowered in an overload, but not where KEDA counts the executions: %s', (_, values, expected) =>
  expect(env(render(values), 'main').N8N_TUNED_ADAPTIVE_LIMIT).toBe(expected),
);

it('is off if the values say so, and in workers', () => {
  expect(limit({ overload: { enabled: false } })).toBeUndefined();
  expect(limit(queue(), 'worker')).toBeUndefined();
});
