import type { Station, Tier } from '../../../../capacity/src/recommend/forecast/servers.js';
import { simulate, type Operation, type System } from '../../../../capacity/src/recommend/forecast/simulate.js';

const HORIZON = { executions: 40_000, warmup: 50, seed: 7 };
const WORK: Operation = { do: 'work', tier: 0, station: 0 };
const station = (seconds: number, threads = 1): Station => ({ seconds, threads, cores: 1 });
const tier = (more: Partial<Tier>): Tier => ({ name: 'main', replicas: 1, stations: [station(0.1)], ...more });
const system = (tiers: Tier[], path: Operation[], more: Partial<System> = {}): System => ({
  tiers,
  path,
  variation: 0,
  ...more,
});
const relativeError = (found: number, expected: number) => Math.abs(found / expected - 1);

/** Pollaczek 1930 and Khinchin 1932: mean wait of M/G/1. */
const mg1 = (rate: number, seconds: number, variation: number) =>
  (rate * seconds ** 2 * (1 + variation ** 2)) / (2 * (1 - rate * seconds));

/** Erlang 1917: the probability that an arrival waits in M/M/c. */
function erlangC(servers: number, offered: number): number {
  let blocked = 1;
  for (let n = 1; n <= servers; n++) blocked = (offered * blocked) / (n + offered * blocked);
  return blocked / (1 - (offered / servers) * (1 - blocked));
}

describe('against queueing formulas', () => {
  test.each([3, 6, 8])('M/D/1 at %d/s of 10/s', (rate) => {
    const { mean, busy, inFlight } = simulate(system([tier({})], [WORK, { do: 'answer' }]), rate, HORIZON);
    expect(relativeError(mean, 0.1 + mg1(rate, 0.1, 0))).toBeLessThan(0.04);
    expect(relativeError(busy[0]!, rate * 0.1)).toBeLessThan(0.02);
    expect(relativeError(inFlight, rate * (0.1 + mg1(rate, 0.1, 0)))).toBeLessThan(0.06); // Little 1961
  });

  test.each([0.5, 1, 1.5])('M/G/1 whose work varies by %d', (variation) => {
    const { mean } = simulate(system([tier({})], [WORK, { do: 'answer' }], { variation }), 7, HORIZON);
    expect(relativeError(mean, 0.1 + mg1(7, 0.1, variation))).toBeLessThan(0.08);
  });

  test.each([
    [2, 'slot', 15],
    [4, 'slot', 33],
    [4, 'request', 33],
  ] as const)(
    'M/D/%d by a limit of each %s at %d/s: about half the wait of M/M/c (Cosmetatos 1976)',
    (most, what, rate) => {
      const path: Operation[] = [
        { do: 'take', what, tier: 0 },
        { do: 'wait', seconds: 0.1 },
        { do: 'give', what, tier: 0 },
        { do: 'answer' },
      ];
      const { mean, slots } = simulate(system([tier({ [`${what}s`]: most })], path), rate, HORIZON);
      const load = rate * 0.1;
      const mmc = (erlangC(most, load) * 0.1) / (most - load);
      const correction = 1 + ((1 - load / most) * (most - 1) * (Math.sqrt(4 + 5 * most) - 2)) / (16 * load);
      expect(relativeError(mean - 0.1, (mmc / 2) * correction)).toBeLessThan(0.08);
      if (what === 'slot') expect(relativeError(slots, load)).toBeLessThan(0.02);
    },
  );

  test('random routing to three replicas is three queues of a third of the rate', () => {
    const { mean } = simulate(system([tier({ replicas: 3 })], [WORK, { do: 'answer' }]), 24, HORIZON);
    expect(relativeError(mean, 0.1 + mg1(8, 0.1, 0))).toBeLessThan(0.05);
  });

  test('two stations of an M/D system in tandem: the second one never waits', () => {
    const stations = [station(0.1), station(0.05)];
    const path: Operation[] = [WORK, { do: 'work', tier: 0, station: 1 }, { do: 'answer' }];
    const { mean } = simulate(system([tier({ stations })], path), 8, HORIZON);
    expect(relativeError(mean, 0.15 + mg1(8, 0.1, 0))).toBeLessThan(0.04);
  });
});

describe('shared resources', () => {
  const two = [tier({}), tier({ name: 'worker', stations: [station(0.1)] })];
  const path: Operation[] = [WORK, { do: 'answer' }, { do: 'work', tier: 1, station: 0 }];

  test('a thread that wants twice its limit of cores takes twice as long', () => {
    const limited = tier({ cores: 0.5 });
    const { mean } = simulate(system([limited], [WORK, { do: 'answer' }]), 4, HORIZON);
    expect(relativeError(mean, 0.2 + mg1(4, 0.2, 0))).toBeLessThan(0.04);
  });

  test('one core for two processes: each is slower while both are busy', () => {
    const apart = simulate(system(two, path), 4, HORIZON).mean;
    const together = simulate(system(two, path, { sharedCores: 1 }), 4, HORIZON).mean;
    expect(relativeError(apart, 0.1 + mg1(4, 0.1, 0))).toBeLessThan(0.04);
    expect(together).toBeGreaterThan(1.3 * apart);
  });

  test('processor sharing by as many threads as arrive: M/G/1-PS, whose mean does not depend on the variation', () => {
    const shared = tier({ cores: 1, stations: [station(0.1, 1000)] });
    const { mean } = simulate(system([shared], [WORK, { do: 'answer' }], { variation: 1 }), 7, HORIZON);
    expect(relativeError(mean, 0.1 / (1 - 0.7))).toBeLessThan(0.08); // Kleinrock 1967
  });

  test('a pool of one connection is one queue', () => {
    const pool: Operation[] = [
      { do: 'take', what: 'connection', tier: 0 },
      { do: 'wait', seconds: 0.1 },
      { do: 'give', what: 'connection', tier: 0 },
      { do: 'answer' },
    ];
    const { mean, connections } = simulate(system([tier({ connections: 1 })], pool), 8, HORIZON);
    expect(relativeError(mean, 0.1 + mg1(8, 0.1, 0))).toBeLessThan(0.04);
    expect(connections).toBe(1);
    expect(simulate(system([tier({ connections: 50 })], pool), 8, HORIZON).connections).toBeLessThan(12);
  });
});

test('the same seed gives the same result, and a higher rate never gives a shorter queue', () => {
  const of = (rate: number) => simulate(system([tier({})], [WORK, { do: 'answer' }], { variation: 1 }), rate, HORIZON);
  expect(of(5)).toEqual(of(5));
  expect(of(8).p95).toBeGreaterThan(of(7).p95);
});
