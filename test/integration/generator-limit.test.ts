import { jest } from '@jest/globals';
import { generatorLimit } from '../../capacity/src/load/generator-limit.js';
import { localK6 } from '../../capacity/src/load/k6.js';
import { terminalProgress } from '../../capacity/src/core/progress.js';
import { k6 } from '../support/tools.js';

jest.setTimeout(60_000);

test('the measured limit of the real k6 is that of the machine, not of a server that makes it wait', async () => {
  const limit = await generatorLimit(await localK6(k6), terminalProgress(true));
  // Far below the rate of any machine, and far above that of 50 clients that pause 1 s after a wrong answer.
  expect(limit).toBeGreaterThan(200);
  expect(limit).toBeLessThan(1_000_000);
});

test('Ctrl-C ends the measurement of the limit', async () => {
  const controller = new AbortController();
  const limit = generatorLimit(await localK6(k6), terminalProgress(true, controller.signal));
  setTimeout(() => controller.abort(new Error('interrupted')), 1000);
  await expect(limit).rejects.toThrow('interrupted');
});
