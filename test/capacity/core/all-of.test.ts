import { jest } from '@jest/globals';
import { runAllChecks, checkEach } from '../../../capacity/src/core/all-of.js';
import { UsageError } from '../../../capacity/src/core/errors.js';

const fail = (problem: string | string[]) => () => {
  throw new UsageError(problem);
};
const problemsOf = (act: () => unknown): readonly string[] => {
  try {
    act();
  } catch (error) {
    if (error instanceof UsageError) return error.problems;
    throw error;
  }
  throw new Error('nothing was refused');
};

test('runAllChecks returns the results by name and in order', () => {
  expect(runAllChecks({ a: () => 1, b: () => 'x' })).toEqual({ a: 1, b: 'x' });
  expect(
    checkEach(
      Array.from({ length: 12 }, (_, i) => i),
      (i) => i * 2,
    ),
  ).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]);
});

test('runAllChecks reports every problem once, including those of nested checks', () => {
  const act = () =>
    runAllChecks({
      first: fail('one'),
      good: () => 1,
      inner: () => runAllChecks({ x: fail('two'), y: fail(['three', 'one']) }),
    });
  expect(problemsOf(act)).toEqual(['one', 'two', 'three']);
  expect(problemsOf(() => checkEach(['a', 'b'], (name) => fail(name)()))).toEqual(['a', 'b']);
});

test('one problem is the message itself, several form a list', () => {
  expect(new UsageError('one').message).toBe('one');
  expect(new UsageError(['one', 'two']).message).toBe('2 problems:\n- one\n- two');
});

test('another kind of error ends the checks at once, as it is not a problem of the input', () => {
  const later = jest.fn();
  const broken = () => {
    throw new TypeError('a bug');
  };
  expect(() => runAllChecks({ broken, later })).toThrow(TypeError);
  expect(later).not.toHaveBeenCalled();
});
