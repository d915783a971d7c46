import { searchStepSeconds } from '../../../capacity/src/plan/rates.js';

test.each([
  ['on the way up', 5, [true, true], 131, 10],
  ['near the capacity', 5, [true, false], 131, 27],
  ['never shorter than planned', 100, [true, false], 131, 10],
  ['never over a minute', 1, [false], 131, 60],
  ['whose length was given', 5, [true, false], undefined, 10],
])('a step %s', (_, rate, held, samples, seconds) => {
  const tried = held.map((sustained) => ({ sustained }));
  expect(searchStepSeconds(rate, tried, samples === undefined ? {} : { samples }, 10)).toBe(seconds);
});
