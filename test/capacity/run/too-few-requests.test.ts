import type { ValidateOptions } from '../../../capacity/src/plan/options.js';
import { STEP_DEFAULTS } from '../../../capacity/src/plan/times.js';
import { planFromOptions } from '../../../capacity/src/plan/validate.js';
import { tooFewRequests } from '../../../capacity/src/run/too-few-requests.js';

const notes = (options: Partial<ValidateOptions>) =>
  tooFewRequests(planFromOptions({ ...STEP_DEFAULTS, workload: ['webhook-ack'], ...options }));

/** 299 requests without a failure prove that fewer than 1 % fail; 600 s of 1.3 times the target have 156. */
test('a target that is too low to be proved is told, with one that is not', () => {
  const [note, ...others] = notes({ target: '0.2/s' });
  expect(others).toEqual([]);
  expect(note).toContain('156 requests; 299 are needed');
  const [enough] = /(?<=target of )[\d.]+\/s/.exec(note!)!;
  expect(notes({ target: enough })).toEqual([]);
});

test.each<[string, Partial<ValidateOptions>]>([
  ['a target with enough requests', { target: '0.5/s' }],
  ['objectives that few requests prove', { target: '0.2/s', slo: 'p50=1s,errors=5%' }],
  ['a search, which skips rates that are too low', {}],
])('nothing is said of %s', (_, options) => expect(notes(options)).toEqual([]));
