import { flag, oneWorkload } from '../../../capacity/src/plan/options.js';

test.each([
  ['perDay', '--per-day'],
  ['slo', '--slo'],
  ['values', '-f'],
])('the flag of %s is %s', (option, expected) => expect(flag(option)).toBe(expected));

test.each([
  [undefined, {}, { workload: ['webhook-ack'] }],
  ['cpu-burn', {}, { workload: ['cpu-burn'] }],
  [undefined, { mix: 'mix.yaml' }, {}],
  // Both given: the error about it is for `loadsOf`.
  ['cpu-burn', { mix: 'mix.yaml' }, { workload: ['cpu-burn'] }],
])('a single load of %j beside %j', (given, others, expected) => expect(oneWorkload(given, others)).toEqual(expected));
