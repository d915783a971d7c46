import { arrivalRate } from '../../../capacity/src/plan/quantities.js';
import { findWorkload } from '../../../capacity/src/plan/workloads.js';

test.each([
  ['memory', 'did you mean "memory-hog"?'],
  ['webhook-ak', 'did you mean "webhook-ack"?'],
  ['expression', 'did you mean "webhook-expression"?'],
])('findWorkload suggests a workload for %s', (name, hint) => {
  expect(() => findWorkload(name)).toThrow(hint);
});

test('findWorkload lists all workloads and suggests none for a name without likeness', () => {
  expect(() => findWorkload('nope')).toThrow(/"nope" does not exist\. Known: webhook-ack, /);
});

test.each([
  ['20', 20],
  ['20/s', 20],
  ['300/m', 5],
  ['40k/h', 40_000 / 3600],
  ['1.5M/d', 1_500_000 / 86_400],
])('arrivalRate reads %s', (text, rate) => expect(arrivalRate(text, '--target')).toBeCloseTo(rate, 10));

test.each(['40K/h', '40kk/h', 'k/h', '40k/', '1M/s'])('arrivalRate refuses %s', (text) =>
  expect(() => arrivalRate(text, '--target')).toThrow('40k/h'),
);
