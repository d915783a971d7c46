import { jest } from '@jest/globals';
import { ChartRefused, UsageError } from '../../../../capacity/src/core/errors.js';
import { terminalProgress } from '../../../../capacity/src/core/progress.js';
import { processes } from '../../../../capacity/src/provision/process/process-provisioner.js';
import { buildPlan } from '../../support/index.js';

jest.setTimeout(60_000);

const prepare = (...set: string[]) =>
  processes.prepare(buildPlan({ values: { files: [], set } }), terminalProgress(true)).then(
    () => undefined,
    (error: unknown) => error as Error,
  );

// A sweep excludes a configuration that `prepare` refuses; an error of `deploy` would end it in the middle.
test.each([
  ['a version of n8n without a runtime', UsageError, '2.99.0', ['image.tag=2.99.0']],
  ['a Secret that only a cluster has', UsageError, 'my-key', ['encryptionKey.existingSecret=my-key']],
  ['values that the chart refuses', ChartRefused, 'main.heap.n8n', ['main.heap.n8n=100000']],
] as const)('refused before anything is started: %s', async (_, type, named, set) => {
  const error = await prepare(...set);
  expect(error).toBeInstanceOf(type);
  expect(error!.message).toContain(named);
});
