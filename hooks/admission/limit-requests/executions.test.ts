import { setTimeout as sleep } from 'node:timers/promises';
import { sparingly } from './testing.js';

test('what takes long to ask is asked for at most 5 % of the time', async () => {
  let asked = 0;
  const slow = sparingly(() => {
    const until = performance.now() + 4;
    while (performance.now() < until);
    return ++asked;
  });
  const end = performance.now() + 300;
  while (performance.now() < end) {
    slow();
    await sleep(1);
  }
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(5);
  let quick = 0;
  const each = sparingly(() => ++quick);
  for (let i = 0; i < 10; i++) {
    each();
    await sleep(2);
  }
  expect(quick).toBeGreaterThan(2);
});
