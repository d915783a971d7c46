import type { ValidateOptions } from '../../../capacity/src/plan/options.js';
import { STEP_DEFAULTS } from '../../../capacity/src/plan/times.js';
import { planFromOptions } from '../../../capacity/src/plan/validate.js';
import { tooFewSlots } from '../../../capacity/src/run/too-few-slots.js';

/** Two workers of ten slots; an execution takes 5 s, so 4/s. */
const notes = (options: Partial<ValidateOptions>, deployment: object = {}) =>
  tooFewSlots(planFromOptions({ ...STEP_DEFAULTS, workload: ['webhook-wait'], ...options }), {
    mode: 'queue',
    slots: 20,
    ...deployment,
  });

test('a target that the slots do not allow is told with both rates and the values to raise', () => {
  expect(notes({ target: '20/s' })).toEqual([
    '20 slots ÷ 5 s allow 4/s; the target needs 26/s: raise worker.replicas or worker.concurrency',
  ]);
  expect(notes({ target: '20/s' }, { mode: 'regular' })[0]).toContain('executions.concurrencyLimit');
});

test.each<[string, Partial<ValidateOptions>, object]>([
  ['a target that they allow', { target: '3/s' }, {}],
  ['a search, which finds what they allow', {}, {}],
  ['no limit of executions', { target: '20/s' }, { slots: undefined }],
  ['executions that take no time', { target: '20/s', workload: ['webhook-ack'] }, {}],
  [
    'an autoscaler',
    { target: '20/s' },
    { autoscalers: [{ component: 'worker', kind: 'KEDA', minReplicas: 2, maxReplicas: 9 }] },
  ],
])('nothing is said of %s', (_, options, deployment) => expect(notes(options, deployment)).toEqual([]));

test('of the rates the highest counts, and each load is named where there are several', () => {
  expect(notes({ rates: '1/s,5/s' })).toHaveLength(1);
  const [note, ...others] = notes({ target: '20/s', workload: ['webhook-ack', 'webhook-wait'] });
  expect(note).toMatch(/^webhook-wait: /);
  expect(others).toEqual([]);
});
