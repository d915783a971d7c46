import { judgeStep } from '../../../capacity/src/judge/step.js';
import type { LoadVerdict } from '../../../capacity/src/model/verdict.js';
import { heldFor } from '../../../capacity/src/recommend/held.js';
import { buildGoodStep } from '../support/index.js';

const SLO = { p95: 1, errors: 0.01 };
const steps = [20, 20, 10].map((rate) => {
  const step = buildGoodStep({
    rate,
    measuredTo: 1_030_000,
    backlog: Array.from({ length: 30 }, (_, at) => ({ at, executions: at % 2 })),
    summary: { offered: 30 * rate, answered: 30 * rate },
  });
  return { step, judged: judgeStep(step, SLO) };
});
const load: LoadVerdict = { load: 'webhook-ack', verdict: 'CAPACITY', conclusion: '', steps, capacity: 20 };

test('values say for how long their rate held, in all its steps', () =>
  expect(heldFor({ verdict: 'CAPACITY', loads: [load] })).toBe('60 s'));

test('a disturbed step does not count', () => {
  const step = buildGoodStep({
    measuredTo: 1_120_000,
    k6: { ...buildGoodStep().k6, message: 'k6 ended with signal 9' },
  });
  const disturbed = { step, judged: judgeStep(step, SLO) };
  expect(heldFor({ verdict: 'CAPACITY', loads: [{ ...load, steps: [disturbed, ...steps] }] })).toBe('60 s');
});

test('where an overload leaves less than held before, it is the time of what held', () => {
  const confidence = { held: { rate: 20, steps: 2, sustained: 2 } };
  expect(heldFor({ verdict: 'CAPACITY', loads: [{ ...load, capacity: 14.2, confidence }] })).toBe('60 s');
});
