import { inspectScript, importLib, workloads } from './support.js';

const { toK6Rate } = await importLib('scenarios');
const { drawArrivals, deriveSeed } = await importLib('arrivals');

/** Evenly spaced arrivals begin without a lead, so that times are exact. */
const EVEN = { ARRIVALS: 'even' };

describe('toK6Rate', () => {
  it.each([
    ['1', 1, 1, 1, 1],
    ['20', 1, 1, 20, 1],
    ['0.5', 1, 1, 1, 2],
    ['2.125', 1, 1, 17, 8],
    ['0.001', 1, 1, 1, 1000],
    ['3.333333', 1, 1, 3333333, 1000000],
    ['10', 3, 4, 15, 2],
    ['1', 1, 3, 1, 3],
    ['10', 0.7, 1, 7, 1],
    ['0.3', 0.1, 0.3, 1, 10],
  ])('of %s/s with a share of %d in %d is %i in %i s', (rateText, weight, total, rate, timeUnitSeconds) => {
    expect(toK6Rate(rateText, weight, total)).toEqual({ rate, timeUnitSeconds });
  });
});

describe('drawArrivals', () => {
  const perSecond = 40;
  const seconds = 50;
  const { times, lead, wait } = drawArrivals(perSecond, seconds, deriveSeed(1, 'a'), false);

  it('have the requested number, in order, within the time', () => {
    expect(times).toHaveLength(perSecond * seconds);
    expect([...times]).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(0);
    expect(times.at(-1)).toBeLessThan(seconds);
  });

  it('are a Poisson process: gaps are exponential, counts of a second vary by the square root of their mean', () => {
    const gaps = [...times].slice(1).map((time, i) => time - times[i]);
    const long = gaps.filter((gap) => gap > 1 / perSecond).length / gaps.length;
    expect(long).toBeGreaterThan(0.33);
    expect(long).toBeLessThan(0.41); // 1/e
    const counts = Array.from({ length: seconds }, (_, s) => times.filter((t: number) => Math.floor(t) === s).length);
    const variance = counts.reduce((sum, n) => sum + (n - perSecond) ** 2, 0) / seconds;
    expect(variance / perSecond).toBeGreaterThan(0.5);
    expect(variance / perSecond).toBeLessThan(1.7);
  });

  it('can all be started in time by an even sequence that begins early', () => {
    times.forEach((time: number, i: number) => {
      const started = i / perSecond - lead;
      expect(started).toBeLessThan(time);
      expect(time - started).toBeLessThanOrEqual(wait + 1e-9);
    });
  });

  it('need no longer lead over hours than over a minute', () => {
    const long = drawArrivals(2, 8 * 3600, 1, false);
    expect(long.times).toHaveLength(2 * 8 * 3600);
    expect(long.lead).toBeLessThan(15);
  });

  it('are the same for the same seed and different for another name or seed', () => {
    const again = (seed: number, name: string) =>
      drawArrivals(perSecond, seconds, deriveSeed(seed, name), false).times[0];
    expect(again(1, 'a')).toBe(times[0]);
    expect(new Set([times[0], again(2, 'a'), again(1, 'b')]).size).toBe(3);
  });

  it('are evenly spaced on request', () => {
    expect(drawArrivals(2, 2, 1, true)).toEqual({ times: Float64Array.from([0, 0.5, 1, 1.5]), lead: 0, wait: 0 });
  });
});

describe('k6 inspect', () => {
  it.each(workloads)('%s runs alone: three steps of the open model', async (workload) => {
    const { code, options } = await inspectScript(`${workload}.js`);
    expect(code).toBe(0);
    expect(Object.keys(options.scenarios).sort()).toEqual(
      [0, 1, 2].flatMap((step) => [`${workload}_${step}_measure`, `${workload}_${step}_warmup`]),
    );
    expect(Object.keys(options.thresholds)).toHaveLength(12);
    expect([...options.systemTags].sort()).toEqual(['error_code', 'expected_response', 'scenario', 'status']);
  });

  it('webhook runs alone, with a path', async () => {
    const { code, options } = await inspectScript('webhook.js', {
      ...EVEN,
      WEBHOOK_PATH: '/webhook/order',
      SERVICE_SECONDS: '2',
    });
    expect(code).toBe(0);
    expect(options.scenarios.webhook_0_measure).toMatchObject({ tags: { workload: 'webhook', step: '0', rate: '1' } });
    expect(options.scenarios.webhook_0_measure.preAllocatedVUs).toBe(9);
  });

  it('shows warm-up and measured part back to back at one rate, then a gap', async () => {
    const { options } = await inspectScript('webhook-wait.js', {
      ...EVEN,
      RATES: '0.5,20',
      DURATION: '20s',
      WARMUP: '4s',
      GAP: '6s',
      TIMEOUT: '10s',
      SECONDS: '3',
    });
    const step = (rate: number, timeUnit: string) => ({
      executor: 'constant-arrival-rate',
      rate,
      timeUnit,
      gracefulStop: '12s',
    });
    const tags = { workload: 'webhook-wait', step: '0', rate: '0.5' };
    expect(options.scenarios).toMatchObject({
      'webhook-wait_0_warmup': {
        ...step(1, '2s'),
        startTime: '0s',
        duration: '4s',
        tags: { ...tags, phase: 'warmup' },
      },
      'webhook-wait_0_measure': {
        ...step(1, '2s'),
        startTime: '4s',
        duration: '20s',
        tags: { ...tags, phase: 'measure' },
      },
      'webhook-wait_1_warmup': { ...step(20, '1s'), startTime: '30s', duration: '4s' },
      'webhook-wait_1_measure': {
        ...step(20, '1s'),
        startTime: '34s',
        duration: '20s',
        preAllocatedVUs: 105,
        maxVUs: 210,
      },
    });
  });

  it('lets rates with their own durations follow one another without a gap', async () => {
    const { options } = await inspectScript('webhook-ack.js', {
      ...EVEN,
      RATES: '1,500,1',
      DURATIONS: '20s,1s,40s',
      WARMUP: '3s',
      GAP: '5s',
    });
    const part = ([startTime, duration, rate]: [string, string, string]) => ({ startTime, duration, tags: { rate } });
    expect(Object.keys(options.scenarios)).toHaveLength(4);
    expect(options.scenarios).toMatchObject({
      'webhook-ack_0_warmup': part(['0s', '3s', '1']),
      'webhook-ack_0_measure': part(['3s', '20s', '1']),
      'webhook-ack_1_measure': { ...part(['23s', '1s', '500']), preAllocatedVUs: 505 },
      'webhook-ack_2_measure': { ...part(['24s', '40s', '1']), preAllocatedVUs: 15 },
    });
  });

  it('gives an overload few enough clients for refusals to reuse their connections', async () => {
    const bounded = { ...EVEN, RATES: '300,80', DURATIONS: '30s,20s', WARMUP: '3s', MAX_VUS: '2400' };
    const { options } = await inspectScript('webhook-ack.js', bounded);
    const { preAllocatedVUs, maxVUs } = options.scenarios['webhook-ack_0_measure'];
    // Node closes a connection that was idle for 5 s.
    expect(preAllocatedVUs / 300).toBeLessThan(5);
    expect(maxVUs).toBe(2400);
  });

  it('begins early by the lead of random arrivals, and has clients for those that wait', async () => {
    const env = { RATES: '50', DURATION: '20s', WARMUP: '4s' };
    const [random, even] = [
      await inspectScript('webhook-ack.js', env),
      await inspectScript('webhook-ack.js', { ...env, ...EVEN }),
    ];
    const startOf = ({ options }: typeof even, part: string) =>
      parseFloat(options.scenarios[`webhook-ack_0_${part}`].startTime);
    const between = startOf(random, 'measure') - startOf(random, 'warmup');
    expect(Math.abs(between - 4)).toBeLessThan(1);
    expect(between).not.toBe(4);
    const clients = ({ options }: typeof even) => options.scenarios['webhook-ack_0_measure'].preAllocatedVUs;
    expect(clients(random)).toBeGreaterThan(clients(even));
  });

  it('ends early only on request', async () => {
    const { options } = await inspectScript('webhook-ack.js', { RATES: '5', WARMUP: '2s', ABORT_ERRORS: '0.1' });
    expect(options.thresholds.answered).toEqual([{ threshold: 'rate>=0.9', abortOnFail: true, delayAbortEval: '7s' }]);
    expect((await inspectScript('webhook-ack.js')).options.thresholds.answered).toBeUndefined();
    const slow = await inspectScript('webhook-ack.js', { RATES: '5', ABORT_SLOW: '1:75,5:15' });
    expect(slow.options.thresholds).toMatchObject({
      'slow_answers{phase:measure,above:1}': [{ threshold: 'count<75', abortOnFail: true }],
      'slow_answers{phase:measure,above:5}': [{ threshold: 'count<15', abortOnFail: true }],
    });
  });

  it('has no warm-up when it is 0s', async () => {
    const { options } = await inspectScript('webhook-ack.js', { RATES: '5', WARMUP: '0s' });
    expect(Object.keys(options.scenarios)).toEqual(['webhook-ack_0_measure']);
  });

  it('keeps to MAX_VUS', async () => {
    const { options } = await inspectScript('webhook-ack.js', { RATES: '50', MAX_VUS: '7' });
    expect(options.scenarios['webhook-ack_0_measure']).toMatchObject({ preAllocatedVUs: 7, maxVUs: 7 });
  });

  it('shows the closed model as a number of clients for warm-up and measured part', async () => {
    const { options } = await inspectScript('webhook-ack-wait.js', { MODEL: 'closed', CLIENTS: '8', DURATION: '1m' });
    expect(options.scenarios).toMatchObject({
      'webhook-ack-wait_0': {
        executor: 'constant-vus',
        vus: 8,
        duration: '1m5s',
        tags: { workload: 'webhook-ack-wait', step: '0', clients: '8' },
      },
    });
    expect(Object.keys(options.scenarios)).toHaveLength(1);
    expect(Object.keys(options.thresholds)).toEqual(expect.arrayContaining(['answered{phase:measure}']));
  });

  it('shares the rate of a mix by weight', async () => {
    const { options } = await inspectScript('mix.js', {
      MIX: '{"webhook-ack": 3, "cpu-burn": 1}',
      RATES: '10',
      WARMUP: '0s',
      MAX_VUS: '100',
    });
    expect(options.scenarios).toMatchObject({
      'webhook-ack_0_measure': { rate: 15, timeUnit: '2s', maxVUs: 75, tags: { workload: 'webhook-ack', rate: '10' } },
      'cpu-burn_0_measure': { rate: 5, timeUnit: '2s', maxVUs: 25, tags: { workload: 'cpu-burn', rate: '10' } },
    });
  });

  it.each([
    ['webhook-ack.js', { RATES: 'fast' }, 'RATES'],
    ['webhook-ack.js', { ARRIVALS: 'odd' }, 'ARRIVALS'],
    ['webhook-ack.js', { SEED: 'x' }, 'SEED'],
    ['webhook-wait.js', { SECONDS: '99' }, 'SECONDS'],
    ['webhook.js', {}, 'WEBHOOK_PATH'],
    ['mix.js', { MIX: '{"nothing": 1}' }, 'MIX'],
  ])('of %s with %j fails with one line', async (script, env, variable) => {
    const { code, output } = await inspectScript(script, env);
    expect(code).toBe(107);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).toContain(variable);
    expect(output).not.toContain('file://');
  });
});
