import { didYouMean, nearestNames } from '../../../capacity/src/core/did-you-mean.js';

test.each([
  ['wroker', ['main', 'worker'], '; did you mean "worker"?'],
  ['WORKER', ['worker'], '; did you mean "worker"?'],
  ['webhook-wiat', ['webhook-wait'], '; did you mean "webhook-wait"?'],
  ['redis', ['worker', 'main'], '.'],
  ['worker', [], '.'],
])('didYouMean suggests a name close to %s among %j', (given, known, expected) =>
  expect(didYouMean(given, known)).toBe(expected),
);

test('nearestNames puts the most similar names first', () =>
  expect(nearestNames('wroker', ['main', 'redis', 'worker', 'webhook'], 2)).toEqual(['worker', 'redis']));
