import { jest } from '@jest/globals';
import { expectNothingLeft, expectPass, LENIENT, runValidate } from './cli.js';

jest.setTimeout(600_000);

expectNothingLeft();

test('a run ends with an overload: twice the rate that held, then 0.8 times, and what became of it', async () => {
  const run = await runValidate(
    ...['--workload', 'webhook-ack', '--rates', '3/s', '--step-duration', '12s', '--warmup', '2s', ...LENIENT],
  );
  expectPass(run);
  const { conclusion, steps } = run;
  const [load] = conclusion.verdict.loads;
  // 6/s is far below what n8n takes: nothing is late, nothing fails, and it is back at once.
  expect(load).toMatchObject({ capacity: 3, overload: { rate: 6, failed: 0, refused: 0, deaths: [] } });
  expect(load!.overload!.backSeconds).toBeLessThan(5);
  expect(load!.overload).not.toHaveProperty('collapsedTo');
  expect(load!.overload!.completed! / 6).toBeGreaterThan(0.7);
  // It is no step that a rate is judged by.
  expect(load!.steps.map(({ step }) => step.rate)).toEqual([3]);
  expect(steps).toHaveLength(2);
});

test('three times what was asked for, which is more than n8n takes: it refuses the rest, and nothing dies', async () => {
  // Ten at once, a second each: 10/s, however fast the machine is.
  const { conclusion } = await runValidate(
    ...['--workload', 'webhook-wait', '--query', 'seconds=1', '--set', 'overload.maxRequests=10'],
    ...['--target', '6/s', '--headroom', '1', '--step-duration', '12s', '--warmup', '3s', ...LENIENT],
  );
  const { overload } = conclusion.verdict.loads[0]!;
  expect(overload).toMatchObject({ rate: 18, deaths: [] });
  expect(overload!.refused).toBeGreaterThan(0);
  expect(overload!.completed).toBeGreaterThan(7);
  expect(overload).not.toHaveProperty('collapsedTo');
});
