import { jest } from '@jest/globals';
import { expectNothingLeft, expectPass, LENIENT, runValidate } from './cli.js';

jest.setTimeout(600_000);

expectNothingLeft();

test('a run ends with an overload of twice the rate that held, then 0.8 times that rate, and records the recovery', async () => {
  const run = await runValidate(
    ...['--workload', 'webhook-ack', '--rates', '3/s', '--step-duration', '12s', '--warmup', '2s', ...LENIENT],
  );
  expectPass(run);
  const { conclusion, steps } = run;
  const [load] = conclusion.verdict.loads;
  // n8n takes far more than 6/s, so nothing is late, nothing fails, and it recovers at once.
  expect(load).toMatchObject({ capacity: 3, overload: { rate: 6, failed: 0, refused: 0, deaths: [] } });
  expect(load!.overload!.backSeconds).toBeLessThan(5);
  expect(load!.overload).not.toHaveProperty('collapsedTo');
  expect(load!.overload!.completed! / 6).toBeGreaterThan(0.7);
  // The overload does not count as a step of a rate.
  expect(load!.steps.map(({ step }) => step.rate)).toEqual([3]);
  expect(steps).toHaveLength(2);
});

test('at three times the requested rate, above the limit of n8n, n8n refuses the rest and nothing dies', async () => {
  // Ten executions of 1 s at once make 10/s on any machine.
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
