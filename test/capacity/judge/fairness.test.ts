import fc from 'fast-check';
import { fairness } from '../../../capacity/src/judge/fairness.js';

const over = (...counts: number[]) => fairness(new Map(counts.map((c, i) => [`worker-${i}`, c])));

test.each<[string, number[], number, number]>([
  ['all the same', [25, 25, 25, 25], 1, 1],
  ['one of four has done everything', [100, 0, 0, 0], 0.25, Infinity],
  ['two of four share everything', [50, 50, 0, 0], 0.5, Infinity],
  ['one process', [7], 1, 1],
  // Jain 1984: the index reads as the share of the users that are treated fairly.
  ['uneven', [1, 2, 3], 36 / 42, 3],
])('%s', (_, counts, index, spread) => {
  const found = over(...counts)!;
  expect(found.index).toBeCloseTo(index, 12);
  expect(found.spread).toBe(spread);
});

test('names the busiest and the idlest', () => {
  expect(over(3, 9, 1)).toMatchObject({
    most: { process: 'worker-1', executions: 9 },
    least: { process: 'worker-2', executions: 1 },
  });
});

test.each([[[]], [[0, 0]]])('says nothing of %j: nothing was shared', (counts) => {
  expect(over(...counts)).toBeUndefined();
});

test.each([[[3, -1]], [[3, Number.NaN]], [[3, Infinity]]])('refuses %j', (counts) => {
  expect(() => over(...counts)).toThrow(RangeError);
});

const counts = fc
  .array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 40 })
  .filter((c) => c.some((x) => x > 0));

test('the index lies between 1/n and 1, and neither order nor scale changes it', () => {
  fc.assert(
    fc.property(counts, fc.integer({ min: 2, max: 1000 }), (c, times) => {
      const { index, spread } = over(...c)!;
      expect(index).toBeGreaterThanOrEqual(1 / c.length - 1e-12);
      expect(index).toBeLessThanOrEqual(1 + 1e-12);
      expect(spread).toBeGreaterThanOrEqual(1);
      expect(over(...[...c].reverse())!.index).toBeCloseTo(index, 12);
      expect(over(...c.map((x) => x * times))!.index).toBeCloseTo(index, 12);
    }),
  );
});

test('moving work from the busiest to the idlest never makes it less fair', () => {
  fc.assert(
    fc.property(counts, (c) => {
      const after = [...c].sort((a, b) => a - b);
      const moved = Math.floor((after.at(-1)! - after[0]!) / 2);
      after[0]! += moved;
      after[after.length - 1]! -= moved;
      expect(over(...after)!.index).toBeGreaterThanOrEqual(over(...c)!.index - 1e-12);
    }),
  );
});
