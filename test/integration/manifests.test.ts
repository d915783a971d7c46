import { jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expectNothingLeft, LENIENT, runValidate, SLOW } from './cli.js';

jest.setTimeout(300_000);
expectNothingLeft();

const MANIFESTS = join(import.meta.dirname, 'manifests', 'queue.yaml');

test('n8n as another chart deploys it is driven, and the record says what is not as its manifests say', async () => {
  const { exitCode, run, steps, folder } = await runValidate(
    '--manifests',
    MANIFESTS,
    '--workload',
    'webhook-ack',
    ...SLOW,
    ...LENIENT,
  );
  expect(exitCode).toBe(0);
  expect(run.deployment).toMatchObject({ mode: 'queue', database: 'postgresdb', slots: 5 });
  expect(run.deployment.adopted).toContainEqual(
    expect.stringMatching(/container permissions of StatefulSet automation/),
  );
  expect(run.versions.chart).toBeUndefined();
  expect(steps[0]!.executions!.completed).toBe(steps[0]!.executions!.accepted);
  // No values of this chart follow from another one.
  expect(existsSync(join(folder, 'values.held.yaml'))).toBe(false);
});
