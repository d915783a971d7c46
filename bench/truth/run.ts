import { terminalProgress } from '../../capacity/src/core/progress.js';
import { judgeSteps } from '../../capacity/src/judge/run.js';
import type { LoadPlan, Plan, Slo } from '../../capacity/src/model/plan.js';
import type { StepRecord } from '../../capacity/src/model/step.js';
import type { LoadVerdict } from '../../capacity/src/model/verdict.js';
import { buildPlan } from '../../capacity/src/plan/plan.js';
import { ratePlan } from '../../capacity/src/plan/rates.js';
import type { StepContext } from '../../capacity/src/run/context.js';
import { driveProfileOf } from '../../capacity/src/run/profiles/profiles.js';
import { overloadAfter } from '../../capacity/src/run/overload.js';
import { seededRandom } from '../../capacity/src/stats/random.js';
import type { Family } from './family.js';
import { VirtualRun } from './virtual-step.js';

/** The plan that `n8n-capacity validate` makes for one workload with these options. */
export const planFor = (slo: Slo, asked: Parameters<typeof ratePlan>[0] = {}): Plan =>
  buildPlan({
    values: { files: [], set: [] },
    loads: [LOAD],
    scriptEnv: {},
    slo,
    rates: ratePlan(asked),
    warmupSeconds: 3,
    drainSeconds: 30,
    timeoutSeconds: 60,
    arrivals: { kind: 'poisson', seed: 1 },
    overload: true,
    named: (option) => option,
  });

const LOAD: LoadPlan = {
  name: 'webhook-ack',
  parts: [{ workload: 'webhook-ack', weight: 1 }],
  serviceSeconds: { 'webhook-ack': 0 },
  executionSeconds: { 'webhook-ack': 0 },
};

/** Runs one validation in virtual time: the steps of the plan's profile, judged like a recorded run. */
export async function validateVirtually(
  family: Family,
  scale: number,
  plan: Plan,
  seed: number,
): Promise<LoadVerdict & { seconds: number }> {
  const random = seededRandom(seed);
  const run = new VirtualRun(family.start(scale, random), random);
  const steps: StepRecord[] = [];
  // Longer than the service time, so that the tool knows that n8n answers first.
  const load = family.acknowledges ? { ...LOAD, executionSeconds: { 'webhook-ack': 0.001 } } : LOAD;
  const context = { plan, progress: terminalProgress(true) } as StepContext;
  const profile = driveProfileOf(plan.rates);
  await profile.drive(
    {
      context,
      load,
      earlier: [],
      take: (at, stepSeconds = plan.stepSeconds) => {
        if ('phases' in at) throw new Error('a search and a target have rates alone');
        const asked = { ...plan, stepSeconds };
        const index = steps.length;
        const step = 'rate' in at ? run.step(at.rate, asked, index, profile) : run.probe(at.clients, asked, index);
        steps.push(step);
        return Promise.resolve(step);
      },
    },
    plan.rates,
  );
  const overload = overloadAfter(plan, load, steps);
  if (overload) steps.push(run.overload(overload, plan, steps.length));
  const seconds = (steps.at(-1)!.endedAt - steps[0]!.measuredFrom) / 1000;
  return { ...judgeSteps(plan, steps).loads[0]!, seconds };
}
