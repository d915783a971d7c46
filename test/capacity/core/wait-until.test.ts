import { waitUntil } from '../../../capacity/src/core/wait-until.js';

/** Answers in this order; the last one again and again. */
function answerInOrder<T>(...answers: T[]) {
  let calls = 0;
  return { ask: () => answers[Math.min(calls++, answers.length - 1)]!, calls: () => calls };
}

test('returns the first answer that is not undefined, null or false', async () => {
  const { ask, calls } = answerInOrder<unknown>(undefined, null, false, 0);
  expect(await waitUntil(ask, { seconds: 60, everyMs: 0 })).toBe(0);
  expect(calls()).toBe(4);
});

test('waitUntil awaits a promise', async () => {
  expect(await waitUntil(() => Promise.resolve('ready'), { seconds: 60 })).toBe('ready');
});

test('waitUntil asks at least once and returns undefined when the time is up', async () => {
  const { ask, calls } = answerInOrder(false);
  expect(await waitUntil(ask, { seconds: 0 })).toBeUndefined();
  expect(calls()).toBe(1);
});

test('an error of `ask` ends the wait', async () => {
  const ask = () => Promise.reject(new Error('gone'));
  await expect(waitUntil(ask, { seconds: 60 })).rejects.toThrow('gone');
});

describe('an abort ends the wait', () => {
  const reason = new Error('Ctrl-C');

  test('before the first call', async () => {
    const { ask, calls } = answerInOrder(false);
    await expect(waitUntil(ask, { seconds: 60, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(calls()).toBe(0);
  });

  test('during a pause of any length', async () => {
    const controller = new AbortController();
    const ask = () => {
      setImmediate(() => controller.abort(reason));
      return false;
    };
    await expect(waitUntil(ask, { seconds: 3600, everyMs: 1e6, signal: controller.signal })).rejects.toBe(reason);
  });
});
