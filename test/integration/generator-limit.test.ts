import { jest } from '@jest/globals';
import { measureGeneratorLimit } from '../../capacity/src/load/generator-limit.js';
import { createLocalK6 } from '../../capacity/src/load/k6.js';
import { terminalProgress } from '../../capacity/src/core/progress.js';
import { k6 } from '../support/tools.js';

jest.setTimeout(60_000);

test('the limit of the real k6 is that of a machine, and not of a server that keeps it waiting', async () => {
  const limit = await measureGeneratorLimit(await createLocalK6(k6), terminalProgress(true));
  // Far below what any machine reaches, far above what 50 clients that pause a second after a wrong answer would.
  expect(limit).toBeGreaterThan(200);
  expect(limit).toBeLessThan(1_000_000);
});

test('Ctrl-C ends the measurement of the limit', async () => {
  const controller = new AbortController();
  const limit = measureGeneratorLimit(await createLocalK6(k6), terminalProgress(true, controller.signal));
  setTimeout(() => controller.abort(new Error('interrupted')), 1000);
  await expect(limit).rejects.toThrow('interrupted');
});
