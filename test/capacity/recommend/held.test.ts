import { judgeStep } from '../../../capacity/src/judge/step.js';
import type { LoadVerdict } from '../../../capacity/src/model/verdict.js';
import { heldFor } from '../../../capacity/src/recommend/held.js';
import { goodStep } from '../support/index.js';

const SLO = { p95: 1, errors: 0.01 };
const steps = [20, 20, 10].map((rate) => {
  const step = goodStep({ rate, measuredTo: 1_030_000 });
  return { step, judged: judgeStep(step, SLO) };
});
const load: LoadVerdict = { load: 'webhook-ack', verdict: 'CAPACITY', conclusion: '', steps, capacity: 20 };

test('values say for how long their rate held, in all its steps', () =>
  expect(heldFor({ verdict: 'CAPACITY', loads: [load] })).toBe('60 s'));

test('where an overload leaves less than held before, it is the time of what held', () => {
  const confidence = { held: { rate: 20, steps: 2, sustained: 2 } };
  expect(heldFor({ verdict: 'CAPACITY', loads: [{ ...load, capacity: 14.2, confidence }] })).toBe('60 s');
});
