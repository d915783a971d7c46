import {
  estimateEffects,
  smallestDetectableEffect,
  estimateSpread,
  type Trial,
} from '../../../capacity/src/stats/effects.js';
import { seededRandom, type Random } from '../../../capacity/src/stats/random.js';
import { createScreeningDesign } from '../../../capacity/src/stats/screening.js';

const twos = (count: number): number[] => Array<number>(count).fill(2);
/** Designs as the tool uses them: 2.5 times as many rows as levels above the baseline. */
const DESIGNS: [string, number[], number][] = [
  ['one factor', [2], 12],
  ['few factors, many rows', twos(3), 60],
  ['as many as fit', twos(16), 40],
  ['as many as ever fit', twos(38), 96],
  ['settings with two candidates', [3, 3, 3, 3, 3, 2, 2, 2, 2], 36],
  ['settings with three and four', [5, 4, 3, 3, 2, 2, 2, 2, 2], 40],
];

test.each(DESIGNS)(
  '%s: each level has its share of the rows, and each pair of two-level factors a quarter',
  (_, levels, rows) => {
    const design = createScreeningDesign(levels, rows, 1);
    expect(design).toHaveLength(rows);
    levels.forEach((count, j) => {
      for (let level = 0; level < count; level++) {
        const has = design.filter((row) => row[j] === level).length;
        expect(Math.abs(has - rows / count)).toBeLessThan(1);
      }
    });
  },
);

test.each(DESIGNS)('%s: an effect is estimated nearly as precisely as if it were the only one', (_, levels, rows) => {
  const design = createScreeningDesign(levels, rows, 1);
  const columns = levels.flatMap((count, j) => Array.from({ length: count - 1 }, (_unused, i) => [j, i + 1] as const));
  const trials = (used: typeof columns, random: Random): Trial[] =>
    design.map((row) => ({
      levels: used.map(([j, level]) => row[j] === level),
      value: Math.exp(0.01 * random.normal()),
    }));
  const width = (used: typeof columns) => {
    const measured = trials(used, seededRandom(5));
    const { deviation } = estimateSpread(measured)!;
    return estimateEffects(measured).map((effect) => Math.log(effect!.most / effect!.ratio) / deviation);
  };
  const together = width(columns);
  // With further factors, an interval also has fewer degrees of freedom.
  columns.forEach((column, i) => {
    const own = columns.filter(([j]) => j === column[0]);
    const alone = width(own)[own.indexOf(column)]!;
    expect(together[i]! / alone).toBeLessThan(1.35);
  });
});

test('the second half of the rows has the opposite levels of the first, and the seed determines them', () => {
  const design = createScreeningDesign(twos(10), 24, 3);
  design.slice(0, 12).forEach((row, i) => expect(design[i + 12]).toEqual(row.map((level) => 1 - level)));
  expect(createScreeningDesign(twos(10), 24, 3)).toEqual(design);
  expect(createScreeningDesign(twos(10), 24, 4)).not.toEqual(design);
});

test('an interaction of two factors does not appear as the effect of a third', () => {
  const factors = 12;
  const design = createScreeningDesign(twos(factors), 24, 1);
  const trials = design.map((row) => ({
    levels: row.map((level) => level === 1),
    value: 60 * (row[0] === 1 && row[1] === 1 ? 2 : 1),
  }));
  const effects = estimateEffects(trials);
  effects.slice(2).forEach((effect) => expect(effect!.ratio).toBeCloseTo(1, 1));
  for (const effect of effects.slice(0, 2)) expect(effect!.ratio).toBeGreaterThan(1.3);
});

test('an odd number of rows is refused', () => {
  expect(() => createScreeningDesign(twos(3), 13, 1)).toThrow(RangeError);
});

const NOISE = 0.05;
const TRUTH: Record<number, number> = { 3: 1.3, 17: 0.8 };
/** A machine that becomes 10 % slower over the trials, and two settings that have an effect. */
const measureTrials = (random: Random, factors: number, rows: number): Trial[] =>
  createScreeningDesign(twos(factors), rows, 1)
    .map((row) => ({ levels: row.map((level) => level === 1), order: random.uniform() }))
    .sort((a, b) => a.order - b.order)
    .map(({ levels }, i, all) => {
      const slower = 1 - (0.1 * i) / all.length;
      const changed = Object.entries(TRUTH).reduce((value, [j, by]) => (levels[Number(j)] ? value * by : value), 60);
      return { levels, value: changed * slower * Math.exp(NOISE * random.normal()) };
    });

test('the intervals of estimated effects contain the truth in 95 % of cases', () => {
  let [held, all, found, claimed] = [0, 0, 0, 0];
  for (let seed = 1; seed <= 60; seed++) {
    estimateEffects(measureTrials(seededRandom(seed), 18, 46)).forEach((effect, j) => {
      const truth = TRUTH[j] ?? 1;
      all++;
      if (effect!.least <= truth && truth <= effect!.most) held++;
      const matters = effect!.least > 1 || effect!.most < 1;
      if (truth !== 1 && matters) found++;
      if (truth === 1 && matters) claimed++;
    });
  }
  expect(held / all).toBeGreaterThan(0.93);
  expect(found).toBe(120);
  expect(claimed / all).toBeLessThan(0.07);
});

test('the effect is undefined for a factor that never changed, or never without another', () => {
  const trials = measureTrials(seededRandom(1), 20, 50).map((t) => ({ ...t, levels: [...t.levels, false] }));
  const effects = estimateEffects(trials);
  expect(effects[20]).toBeUndefined();
  expect(effects[5]).toBeDefined();
  expect(estimateEffects(trials.slice(0, 4)).every((effect) => effect === undefined)).toBe(true);
});

test('smallestDetectableEffect is detected in four of five runs', () => {
  for (const trials of [8, 20]) {
    const gain = smallestDetectableEffect({ deviation: NOISE }, trials);
    const random = seededRandom(trials);
    let shown = 0;
    for (let run = 0; run < 400; run++) {
      const values = Array.from({ length: trials }, (_, i): Trial => {
        const levels = [[false], [true], [true], [false]][i % 4]!;
        return { levels, value: (levels[0] ? 1 + gain : 1) * Math.exp(NOISE * random.normal()) };
      });
      if (estimateEffects(values)[0]!.least > 1) shown++;
    }
    expect(shown / 400).toBeGreaterThan(0.74);
    expect(shown / 400).toBeLessThan(0.88);
  }
});
