import type { InstanceEvent } from '../../../../capacity/src/model/events.js';
import { judgeWholeRun } from '../../../../capacity/src/features/compare/run.js';
import { buildGoodStep, buildPassingRun, buildPlan } from '../../support/index.js';

test('a death between two steps counts for its load, as in the verdict', () => {
  const run = buildPassingRun();
  const [first, second] = run.steps;
  const died: InstanceEvent = {
    ...{ at: second!.measuredFrom - 1, instance: 'worker-0', component: 'worker', kind: 'died' },
    detail: 'SIGKILL',
  };
  const load = ({ loads }: ReturnType<typeof judgeWholeRun>) => loads.find(({ load: name }) => name === first!.load)!;
  expect(load(judgeWholeRun(run)).failsAtAnyRate).toBeUndefined();
  expect(load(judgeWholeRun({ ...run, events: [died] }))).toMatchObject({ verdict: 'FAIL', failsAtAnyRate: true });
});

test('a soak that proves nothing of growth has no load that passed', () => {
  const run = buildPassingRun();
  const step = buildGoodStep({ load: run.run.plan.loads[0]!.name });
  const soak = buildPlan({
    ...run.run.plan,
    loads: [run.run.plan.loads[0]!],
    rates: { kind: 'soak', rate: 20, horizonSeconds: 86_400 },
  });
  const { verdict, loads } = judgeWholeRun({ ...run, run: { ...run.run, plan: soak }, steps: [step], samples: [] });
  expect({ verdict, load: loads[0]!.verdict }).toEqual({ verdict: 'INCONCLUSIVE', load: 'INCONCLUSIVE' });
});
