import { judgeOutcomes } from '../../../capacity/src/judge/outcomes.js';
import { judgeStep } from '../../../capacity/src/judge/step.js';
import { buildGoodStep, buildPlan } from '../support/index.js';

const LATE = { latency: { p50: 1, p95: 2, p99: 3, max: 4 } };
/** Too few requests to prove anything. */
const FEW = { offered: 100, answered: 100, seconds: [] };
/** 1 % may fail: 6 of 400 are more, but may be chance. */
const SOME_FAILED = { answered: 394, failed: 6, failures: { 'status 500': 6 } };

const judging = buildPlan({ rates: { kind: 'confirm', rates: [20] } });
const steps = (summaries: object[]) =>
  summaries.map((summary, index) => {
    const step = buildGoodStep({ index, rate: 20, summary });
    return { step, judged: judgeStep(step, judging.slo) };
  });

test.each([
  ['a rate that is proved held', [{}], 'held'],
  ['a rate that clearly failed broke', [LATE], 'broken'],
  ['one clear failure decides', [{}, {}, LATE], 'broken'],
  ['a sample that is too small decides nothing', [FEW], 'open'],
  ['one failure by what may be chance decides nothing', [SOME_FAILED], 'open'],
])('%s', (_, summaries, outcome) => {
  expect([...judgeOutcomes(steps(summaries), judging)]).toEqual([[20, outcome]]);
});
