import { bracket, nextRate, type SearchConfig, type Tried } from '../../../capacity/src/judge/search.js';

const config: SearchConfig = { start: 5, factor: 2, precision: 0.2, maxSteps: 12, lowest: 0.1 };

/** Searches a deployment that sustains every rate up to `truth`. */
function search(truth: number, clear = true): Tried[] {
  const tried: Tried[] = [];
  for (let rate = nextRate(tried, config); rate !== undefined; rate = nextRate(tried, config)) {
    tried.push({ rate, sustained: rate <= truth, clear });
  }
  return tried;
}

test.each([0.4, 1, 4.9, 5, 7, 13, 26, 39, 140])('finds %d/s within the precision', (truth) => {
  const tried = search(truth);
  const { held, broken } = bracket(tried);
  expect(held).toBeLessThanOrEqual(truth);
  expect(broken).toBeGreaterThan(truth);
  // Rates are rounded to two digits, hence the small allowance.
  expect(broken! / held!).toBeLessThanOrEqual(1 + config.precision + 0.05);
  expect(tried.length).toBeLessThanOrEqual(config.maxSteps);
});

test('goes up by the factor while rates hold', () => {
  expect(
    search(26)
      .slice(0, 4)
      .map((t) => t.rate),
  ).toEqual([5, 10, 20, 40]);
});

test('tries a rate that broke by a hair again, and once more when the two differ', () => {
  const once: Tried[] = [
    { rate: 5, sustained: true },
    { rate: 10, sustained: false },
  ];
  expect(nextRate(once, config)).toBe(10);
  const differ = [...once, { rate: 10, sustained: true }];
  expect(nextRate(differ, config)).toBe(10);
  expect(nextRate([...differ, { rate: 10, sustained: true }], config)).toBe(20);
  expect(nextRate([...differ, { rate: 10, sustained: false }], config)).toBe(7.1);
  expect(nextRate([...once, { rate: 10, sustained: false }], config)).toBe(7.1);
});

test('gives up below the lowest rate that means anything', () => {
  const tried = search(0);
  expect(tried.at(-1)!.rate).toBeGreaterThanOrEqual(0.1);
  expect(bracket(tried).held).toBeUndefined();
});

test('stops after the most steps', () => {
  const endless: Tried[] = Array.from({ length: 12 }, (_, i) => ({ rate: 5 * 2 ** i, sustained: true }));
  expect(nextRate(endless, config)).toBeUndefined();
});

test('a short try that held does not outweigh a minute that did not', () => {
  const tried: Tried[] = [
    { rate: 5, sustained: true, seconds: 12 },
    { rate: 10, sustained: true, seconds: 12 },
    { rate: 10, sustained: false, seconds: 60 },
    { rate: 10, sustained: true, seconds: 12 },
  ];
  expect(bracket(tried)).toEqual({ held: 5, broken: 10 });
  expect(bracket([...tried, { rate: 10, sustained: true, seconds: 60 }])).toEqual({ held: 10 });
});

test('a rate that broke caps what counts as held, whatever held above it', () => {
  const tried: Tried[] = [
    { rate: 5, sustained: true },
    { rate: 10, sustained: false },
    { rate: 20, sustained: true },
  ];
  expect(bracket(tried)).toEqual({ held: 5, broken: 10 });
});
