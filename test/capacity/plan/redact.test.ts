import { redacted, redactedPlan } from '../../../capacity/src/plan/redact.js';
import { plan } from '../support/index.js';

test.each([
  ['worker.replicas=2', 'worker.replicas=2'],
  [
    'externalRedis.existingSecret=redis,externalRedis.existingSecretKey=password',
    'externalRedis.existingSecret=redis,externalRedis.existingSecretKey=password',
  ],
  ['extraEnv[0].name=A,extraEnv[0].value=hunter2', 'extraEnv[0].name=<not recorded>'],
  ['metrics.enabled=true,extraEnv[0].name=API_TOKEN,extraEnv[0].value=hunter2', 'metrics.enabled=<not recorded>'],
])('%s', (assignment, recorded) => expect(redacted(assignment)).toBe(recorded));

test('a plan is recorded without them', () => {
  const given = plan({ values: { files: ['a.yaml'], set: ['worker.replicas=2', 'extraEnv[0].value=hunter2'] } });
  expect(redactedPlan(given)).toEqual({
    ...given,
    values: { files: ['a.yaml'], set: ['worker.replicas=2', 'extraEnv[0].value=<not recorded>'] },
  });
});
