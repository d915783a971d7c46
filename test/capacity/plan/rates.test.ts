import { searchStepSeconds } from '../../../capacity/src/plan/rates.js';

const SLO = { p95: 0.8, errors: 0.01 };

test.each([
  ['on the way up', 5, [true, true], 131, 10],
  ['near the capacity', 5, [true, false], 131, 27],
  ['never shorter than its rates take to be told apart', 100, [true, false], 131, 10],
  ['of a finer search', 100, [true, false], 131, 24, 0.05],
  ['never over a minute', 1, [false], 131, 60],
  ['whose length was given', 5, [true, false], undefined, 10],
])('a step %s', (_, rate, held, samples, seconds, precision = 0.25) => {
  const tried = held.map((sustained) => ({ sustained }));
  expect(searchStepSeconds(rate, tried, { precision, ...(samples !== undefined && { samples }) }, SLO, 10)).toBe(
    seconds,
  );
});
