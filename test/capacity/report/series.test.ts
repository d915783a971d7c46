import { gathered } from '../../../capacity/src/report/html/thin.js';

const second = (at: number, failed = 0, p50?: number) => ({
  ...{ at, sent: 3, answered: 3 - failed, failed },
  ...(p50 !== undefined && { p50 }),
});

test('a step of few seconds stays as it is', () => {
  const seconds = [second(0, 0, 0.1), second(1), second(2, 3)];
  expect(gathered(seconds, 3)).toEqual({ each: 1, points: seconds });
  expect(gathered([])).toEqual({ each: 1, points: [] });
});

test('of a long one no failure and no slow second is lost', () => {
  const seconds = [second(0, 0, 0.1), second(1, 3, 2), second(2), second(3), second(4, 0, 0.2)];
  expect(gathered(seconds, 3)).toEqual({
    each: 2,
    points: [
      { at: 0, sent: 3, answered: 1.5, failed: 1.5, p50: 2 },
      { at: 2, sent: 3, answered: 3, failed: 0 },
      { at: 4, sent: 3, answered: 3, failed: 0, p50: 0.2 },
    ],
  });
});
