import { ParameterError, readChoice, readNumber } from '../../nodes/shared/parameters';

const range = { min: 0, max: 100, unit: 'ms', because: 'the ceiling' };

/** The ParameterError that `read` throws. */
function catchRefusal(read: () => unknown): ParameterError {
  try {
    read();
  } catch (error) {
    if (error instanceof ParameterError) return error;
  }
  throw new Error('not refused');
}

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
    const { parameter, message } = catchRefusal(() => readNumber('Milliseconds', value, range));
    expect(parameter).toBe('Milliseconds');
    for (const part of ['Milliseconds', shown, '0', '100', 'ms', range.because]) expect(message).toContain(part);
  });

  test.each([1.5, '1.5'])('%j is refused where a whole number is needed', (value) => {
    expect(catchRefusal(() => readNumber('Count', value, { min: 0, max: 9, integer: true })).parameter).toBe('Count');
  });
});

describe('readChoice', () => {
  test('takes one of the names', () => {
    expect(readChoice('Where', 'heap', ['heap', 'offHeap'])).toBe('heap');
  });

  test.each(['Heap', '', 5, undefined])('refuses %j', (value) => {
    const { parameter, message } = catchRefusal(() => readChoice('Where', value, ['heap', 'offHeap']));
    expect(parameter).toBe('Where');
    for (const part of [String(JSON.stringify(value)), 'heap', 'offHeap']) expect(message).toContain(part);
  });
});

test('a number of any length is read without backtracking', () => {
  // A backtracking pattern would take minutes for this many digits, longer than the test's timeout.
  expect(() => readNumber('Milliseconds', `${'1'.repeat(200_000)}x`, { min: 0, max: 1 })).toThrow(ParameterError);
});

test('a value without JSON is refused like any other', () => {
  const circular: Record<string, unknown> = {};
  circular.itself = circular;
  expect(catchRefusal(() => readNumber('Count', 5n, { min: 0, max: 1 })).message).toContain('bigint');
  expect(catchRefusal(() => readNumber('Count', circular, { min: 0, max: 1 })).message).toContain('object');
});
