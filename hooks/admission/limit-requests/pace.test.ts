import { jest } from '@jest/globals';
import { pace } from './testing.js';

describe('a pace of 500 a second, and 500 ms later at most', () => {
  /** How late each call is made; after each, so many milliseconds pass. */
  function waits(apart: number[], latest?: number): number[] {
    jest.useFakeTimers();
    try {
      const paced = pace(500, 500, () => Date.now());
      const made: number[] = [];
      for (const milliseconds of apart) {
        const at = Date.now();
        paced(() => made.push(Date.now() - at), latest);
        jest.advanceTimersByTime(milliseconds);
      }
      jest.advanceTimersByTime(1000);
      return made;
    } finally {
      jest.useRealTimers();
    }
  }

  it('calls at once up to that rate, and in a burst of a second', () => {
    expect(Math.max(...waits(Array<number>(2000).fill(2)))).toBe(0);
    expect(Math.max(...waits(Array<number>(500).fill(0)))).toBe(0);
  });

  it('calls later above it, and never later than that', () => {
    const made = waits(Array<number>(4000).fill(1));
    expect(made).toHaveLength(4000);
    expect(Math.max(...made)).toBe(500);
  });

  it('lets no more wait than come in that time', () => {
    expect(waits(Array<number>(1000).fill(0)).filter((late) => late > 0)).toHaveLength(250);
  });

  it('calls those that waited for their time sooner', () => {
    const made = waits(Array<number>(4000).fill(1), 90);
    expect(Math.max(...made)).toBe(90);
  });

  it('calls at once again, soon after too many', () => {
    expect(waits([...Array<number>(10_000).fill(1), 600, 0]).at(-1)).toBe(0);
  });
});
