import { closedLoopOf } from '../plan/kinds.js';
import { availableParallelism } from 'node:os';
import { countClients } from '../judge/bounds.js';
import { isProbe } from '../judge/run.js';
import { judgeOverload } from '../judge/overload.js';
import { judgeStep } from '../judge/step.js';
import { formatNumber } from '../core/formats.js';
import type { LoadPlan, Plan } from '../model/plan.js';
import type { StepRecord } from '../model/step.js';
import { forecastStep } from '../recommend/forecast/next-step.js';
import { overloadLine, probeLine, stepLine } from '../report/terminal/run.js';
import type { StepAt, StepContext } from './context.js';
import { driveProfileOf } from './profiles/profiles.js';
import { overloadAfter } from './overload.js';
import { runStep } from './step.js';

/**
 * Drives the steps of one load, chosen as the plan's profile does.
 * @param earlier all steps of the run so far, those of other loads included
 * @param recorded steps of the same run before it was interrupted: a step that is among them is not run again
 */
export async function driveLoad(
  context: StepContext,
  load: LoadPlan,
  earlier: StepRecord[],
  recorded: StepRecord[] = [],
): Promise<StepRecord[]> {
  const { plan, progress } = context;
  const profile = driveProfileOf(plan.rates);
  const steps: StepRecord[] = [];
  const take = async (at: StepAt, seconds = plan.stepSeconds) => {
    const index = earlier.length + steps.length;
    const before = recorded.find((step) => step.index === index && isSameStep(step, load, at));
    const forecast = before ? undefined : forecastNextStep(context, load, steps, at);
    const run = () =>
      runStep(context, { load, at, index, stepSeconds: seconds, profile, ...(forecast && { forecast }) });
    const step = before ?? (await progress.during(formatLabel(load, at), run));
    steps.push(step);
    if (!before && !('phases' in at || 'payloadMiB' in at)) progress.line(formatLine(plan, step));
    return step;
  };
  await profile.drive({ context, load, earlier, take }, plan.rates);
  const overload = overloadAfter(plan, load, steps);
  if (overload) {
    const index = earlier.length + steps.length;
    const stepSeconds = overload.phases.reduce((sum, { seconds }) => sum + seconds, 0);
    const request = { load, at: overload, index, stepSeconds, profile: {} };
    const step = await progress.during(formatLabel(load, overload), () => runStep(context, request));
    progress.line(overloadLine(judgeOverload(step, plan.slo), overload.held));
    steps.push(step);
    // The speed of a machine changes. The throughput of the clients before and after bounds its capacity during the overload.
    const closedLoop = closedLoopOf(plan.rates);
    if (closedLoop) await take({ clients: countClients(closedLoop, load) });
  }
  return steps;
}

const formatLine = (plan: Plan, step: StepRecord) =>
  isProbe(step, plan) ? probeLine(step) : stepLine(step, judgeStep(step, plan.slo));

/** What the steps of a load so far say of its next one. */
function forecastNextStep({ plan, deployment, samples }: StepContext, load: LoadPlan, steps: StepRecord[], at: StepAt) {
  const run = { plan, deployment: deployment.record, machine: { cpus: availableParallelism() } };
  return 'rate' in at ? forecastStep(run, load, steps, samples, at.rate) : undefined;
}

/** Whether a recorded step is the one that is asked for; a step with phases is never taken from a record. */
const isSameStep = (step: StepRecord, load: LoadPlan, at: StepAt) =>
  step.load === load.name &&
  !('phases' in at) &&
  step.rate === ('rate' in at ? at.rate : undefined) &&
  step.clients === ('clients' in at ? at.clients : undefined) &&
  step.payloadMiB === ('clients' in at ? at.payloadMiB : undefined);

function formatLabel({ name }: LoadPlan, at: StepAt): string {
  if ('rate' in at) return `${name} at ${formatNumber(at.rate)}/s`;
  if ('clients' in at)
    return at.payloadMiB === undefined
      ? `${name} at ${at.clients} clients`
      : `${at.clients} × ${at.payloadMiB} MiB at once`;
  const [first, then] = at.phases;
  return first!.name === 'overload'
    ? `${name} overloaded at ${formatNumber(first!.rate)}/s, then at ${formatNumber(then!.rate)}/s`
    : `${name} at ${formatNumber(first!.rate)}/s, then ${formatNumber(then!.rate)}/s for ${then!.seconds} s`;
}
