import { readChoice, readNumber } from '../../nodes/shared/parameters';

const range = { min: 0, max: 100, unit: 'ms', because: 'the ceiling' };

describe('readNumber', () => {
  test.each([
    [0, 0],
    [100, 100],
    [1.5, 1.5],
    ['42', 42],
    [' 42 ', 42],
    ['4.25', 4.25],
    ['.5', 0.5],
    ['1e2', 100],
    ['+7', 7],
  ])('%j is the number %d', (value, expected) => {
    expect(readNumber('Milliseconds', value, range)).toBe(expected);
  });

  test.each([
    [-1, '-1'],
    [101, '101'],
    ['101', '"101"'],
    [NaN, 'NaN'],
    [Infinity, 'Infinity'],
    ['', '""'],
    ['five', '"five"'],
    ['5s', '"5s"'],
    ['0x10', '"0x10"'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'undefined'],
    [[5], '[5]'],
    [{ valueOf: 5 }, '{"valueOf":5}'],
    ['x'.repeat(1000), `"${'x'.repeat(59)}…`],
  ])('%j is refused by name, value and range', (value, shown) => {
    expect(() => readNumber('Milliseconds', value, range)).toThrow(
      new Error(`Milliseconds is ${shown}: must be a number from 0 to 100 ms (the ceiling)`),
    );
  });

  test.each([1.5, '1.5'])('%j is refused where a whole number is needed', (value) => {
    expect(() => readNumber('Count', value, { min: 0, max: 9, integer: true })).toThrow(
      /^Count is "?1\.5"?: must be a whole number from 0 to 9$/,
    );
  });
});

describe('readChoice', () => {
  test('takes one of the names', () => {
    expect(readChoice('Where', 'heap', ['heap', 'offHeap'])).toBe('heap');
  });

  test.each(['Heap', '', 5, undefined])('refuses %j', (value) => {
    expect(() => readChoice('Where', value, ['heap', 'offHeap'])).toThrow(
      `Where is ${JSON.stringify(value)}: must be one of heap, offHeap`,
    );
  });
});

test('a number of any length is judged at once', () => {
  const start = performance.now();
  expect(() => readNumber('Milliseconds', `${'1'.repeat(200_000)}x`, { min: 0, max: 1 })).toThrow('Milliseconds is');
  // A pattern that goes back over the digits takes minutes for so many.
  expect(performance.now() - start).toBeLessThan(5000);
});

test('a value without JSON is refused like any other', () => {
  const circular: Record<string, unknown> = {};
  circular.itself = circular;
  expect(() => readNumber('Count', 5n, { min: 0, max: 1 })).toThrow('Count is bigint: must be a number from 0 to 1');
  expect(() => readNumber('Count', circular, { min: 0, max: 1 })).toThrow('Count is object: must be');
});
