import { capacityInterval, type RateTry } from '../../../capacity/src/stats/logistic.js';
import { seededRandom, type Random } from '../../../capacity/src/stats/random.js';

const tries = (held: number[], failed: number[]): RateTry[] => [
  ...held.map((rate) => ({ rate, held: true })),
  ...failed.map((rate) => ({ rate, held: false })),
];

test('separated rates give a finite interval between them', () => {
  const { low, high } = capacityInterval(tries([40, 40, 40, 50, 50, 50], [60, 60, 60]));
  expect(low).toBeGreaterThan(45);
  expect(low).toBeLessThan(55);
  expect(high).toBeGreaterThan(55);
  expect(high).toBeLessThan(65);
});

test('one more failure at a rate lowers the interval', () => {
  const before = capacityInterval(tries([40, 40, 50, 50], [60]));
  const after = capacityInterval(tries([40, 40, 50, 50], [50, 60]));
  expect(after.low!).toBeLessThan(before.low!);
  expect(after.high!).toBeLessThan(before.high!);
});

test('if every try held, only a lower bound is known, and it rises with the number of tries', () => {
  const three = capacityInterval(tries([50, 50, 50], []));
  const one = capacityInterval(tries([50], []));
  expect(three.high).toBeUndefined();
  expect(three.low!).toBeGreaterThan(one.low!);
  expect(three.low!).toBeLessThan(50);
});

test('if no try held, only an upper bound is known', () => {
  const { low, high } = capacityInterval(tries([], [50, 50, 50]));
  expect(low).toBeUndefined();
  expect(high!).toBeGreaterThan(50);
  expect(high!).toBeLessThan(70);
});

test('capacityInterval without a try is empty', () => expect(capacityInterval([])).toEqual({}));

/** The tries of a search for a capacity of 1, then of three deployments at a rate and at that rate ÷ 1.3. */
function simulateTries(random: Random, slope: number, rate: number): RateTry[] {
  const all: RateTry[] = [];
  const take = (at: number) => {
    const held = random.uniform() < 1 / (1 + at ** slope);
    all.push({ rate: at, held });
    return held;
  };
  let [held, broken] = [0, Infinity];
  for (let at = 0.5 + 0.2 * random.uniform(); all.length < 10 && broken > held * 1.1;) {
    if (take(at)) held = Math.max(held, at);
    else broken = Math.min(broken, at);
    at = broken === Infinity ? at * 1.25 : held === 0 ? at / 1.25 : Math.sqrt(held * broken);
  }
  for (let deployment = 0; deployment < 3; deployment++) [rate / 1.3, rate].forEach(take);
  return all;
}

// Nominal: 90 %. The coverage is lower on a flat curve, where chance decides at which rate the search stops.
test.each([
  [12, 0.8],
  [25, 0.85],
  [60, 0.9],
  [200, 0.9],
])('at slope %i, the interval contains the true capacity in at least %d of the searches', (slope, least) => {
  const random = seededRandom(7);
  let [covered, all] = [0, 0];
  for (const rate of [0.85, 1, 1.1])
    for (let i = 0; i < 50; i++) {
      const { low = 0, high = Infinity } = capacityInterval(simulateTries(random, slope, rate));
      covered += Number(low <= 1 && high >= 1);
      all += 1;
    }
  expect(covered / all).toBeGreaterThanOrEqual(least);
});
