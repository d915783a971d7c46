import { jest } from '@jest/globals';
import { expectNothingLeft, LENIENT, profile, runValidate, SHORT } from '../cli.js';

jest.setTimeout(600_000);

expectNothingLeft();

test('own mode: n8n 0.221.2 forks a process for each execution', async () => {
  const args = ['--workload', 'webhook-ack-wait', '--query', 'seconds=1', '--clients', '2'];
  const run = await runValidate(...profile('legacy-own'), ...args, ...SHORT, ...LENIENT);
  expect(run.steps[0]!.summary.answered).toBeGreaterThan(0);
  expect(run.run).toMatchObject({ versions: { n8n: '0.221.2' }, deployment: { process: 'own' } });
  expect(Math.max(...run.samples.map((s) => s.instances[0]!.processes))).toBeGreaterThan(2);
});
