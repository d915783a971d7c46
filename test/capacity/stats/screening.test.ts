import { effectsOf, type Trial } from '../../../capacity/src/stats/effects.js';
import { seededRandom, type Random } from '../../../capacity/src/stats/random.js';
import { screeningDesign } from '../../../capacity/src/stats/screening.js';

test.each([1, 3, 7, 11, 15, 23, 35, 39])(
  '%i factors: each level in half of the rows, each pair in a quarter',
  (factors) => {
    const rows = screeningDesign(factors);
    expect(rows.length % 4).toBe(0);
    expect(rows.length - factors).toBeGreaterThan(8);
    for (let a = 0; a < factors; a++) {
      expect(rows.filter((row) => row[a])).toHaveLength(rows.length / 2);
      for (let b = 0; b < a; b++) expect(rows.filter((row) => row[a] && row[b])).toHaveLength(rows.length / 4);
    }
    expect(rows.at(-1)!.some(Boolean)).toBe(false);
  },
);

test('more factors than fit are refused', () => {
  expect(() => screeningDesign(40)).toThrow(RangeError);
});

const NOISE = 0.05;
/** A machine that becomes 10 % slower over the trials, and two settings that matter. */
const measured = (random: Random, factors: number, effects: Record<number, number>): Trial[] =>
  screeningDesign(factors)
    .map((levels) => ({ levels, order: random.uniform() }))
    .sort((a, b) => a.order - b.order)
    .map(({ levels }, i, all) => {
      const slower = 1 - (0.1 * i) / all.length;
      const changed = Object.entries(effects).reduce((value, [j, by]) => (levels[Number(j)] ? value * by : value), 60);
      return { levels, value: changed * slower * Math.exp(NOISE * random.normal()) };
    });

test('effects are found with intervals that hold the truth 95 % of the time', () => {
  let [held, all, found, claimed] = [0, 0, 0, 0];
  for (let seed = 1; seed <= 200; seed++) {
    const effects = effectsOf(measured(seededRandom(seed), 24, { 3: 1.3, 17: 0.8 }));
    effects.forEach((effect, j) => {
      const truth = ({ 3: 1.3, 17: 0.8 } as Record<number, number>)[j] ?? 1;
      all++;
      if (effect!.least <= truth && truth <= effect!.most) held++;
      const matters = effect!.least > 1 || effect!.most < 1;
      if (truth !== 1 && matters) found++;
      if (truth === 1 && matters) claimed++;
    });
  }
  expect(held / all).toBeGreaterThan(0.93);
  expect(found).toBeGreaterThan(0.99 * 400);
  expect(claimed / all).toBeLessThan(0.06);
});

test('a factor that never changed has no effect that could be told', () => {
  const trials = measured(seededRandom(1), 6, {}).map((t) => ({ ...t, levels: [...t.levels, false] }));
  const effects = effectsOf(trials);
  expect(effects[6]).toBeUndefined();
  expect(effects[5]).toBeDefined();
  expect(effectsOf(trials.slice(0, 4))).toEqual(Array.from({ length: 7 }, () => undefined));
});
