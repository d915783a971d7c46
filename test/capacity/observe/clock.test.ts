import { jest } from '@jest/globals';
import { ClockWatch } from '../../../capacity/src/observe/clock.js';

let watch: ClockWatch;
beforeEach(() => {
  jest.useFakeTimers();
  watch = new ClockWatch();
  watch.begin();
});
afterEach(() => {
  watch.stop();
  jest.useRealTimers();
});

/** Lets time pass, and sets the wall clock meanwhile. */
function measureJump(set: (clock: number) => number): number {
  for (let i = 0; i < 20; i++) {
    jest.advanceTimersByTime(500);
    if (i === 9) jest.setSystemTime(set(Date.now()));
  }
  return watch.jumpSeconds();
}

test.each([
  ['is not touched', (now: number) => now, 0],
  ['is set forward by an hour', (now: number) => now + 3_600_000, 3600],
  ['is set back', (now: number) => now - 90_000, 90],
])('ClockWatch measures the jump of a clock that %s', (_, set, seconds) =>
  expect(measureJump(set)).toBeCloseTo(seconds, 1),
);

test('ClockWatch measures a jump that is undone later', () => {
  const start = Date.now();
  jest.setSystemTime(start + 60_000);
  jest.advanceTimersByTime(500);
  jest.setSystemTime(start + 500);
  jest.advanceTimersByTime(500);
  expect(watch.jumpSeconds()).toBeCloseTo(60, 0);
});

test('ClockWatch ignores a jump before the step', () => {
  jest.setSystemTime(Date.now() + 60_000);
  watch.begin();
  jest.advanceTimersByTime(500);
  expect(watch.jumpSeconds()).toBeCloseTo(0, 1);
});
