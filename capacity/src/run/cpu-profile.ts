import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runsN8n } from '../model/events.js';
import { messageOf } from '../core/errors.js';
import { formatRate } from '../core/formats.js';
import { insideBetween } from '../observe/inside.js';
import { kneeSteps } from '../judge/knee.js';
import { judgeSteps } from '../judge/run.js';
import { answeredRate } from '../judge/sustained.js';
import { usageBetween } from '../observe/usage.js';
import { Requests } from '../load/requests.js';
import { streamSamples } from '../load/samples.js';
import type { LoadPlan } from '../model/plan.js';
import type { CpuProfile, ProfileRecord } from '../model/profile.js';
import type { DeploymentRecord } from '../model/run.js';
import type { Sample } from '../model/sample.js';
import type { StepRecord } from '../model/step.js';
import { buildFlameGraph, SAMPLING_MICROS, removeFolders } from '../observe/cpu-profile.js';
import type { StepContext } from './context.js';
import { generate, warmupSeconds } from './generate.js';
import { settle } from './settle.js';

/** Long enough for thousands of samples; a broken rate piles up requests for no longer than that. */
const PROFILE_SECONDS = 10;

/** Where a profile is taken. */
interface Place {
  rate: number;
  broke: boolean;
  /** Steps at that rate. */
  steps: StepRecord[];
}

/**
 * Profiles the busiest n8n process at the lowest rate that a load did not sustain, else at the highest that nothing died at. The
 * load of the profile is no step: profiling costs CPU, so it counts towards no verdict. A profile that fails is only printed.
 * @param steps those of the load
 */
export async function profileLoad(context: StepContext, load: LoadPlan, steps: StepRecord[]): Promise<void> {
  const { deployment, samples, progress } = context;
  const place = choosePlace(context, load, steps);
  if (!deployment.profile) return;
  if (!place) return progress.line(`  no CPU profile of ${load.name}: n8n died at every rate that was tried`);
  const instance = busiest(deployment.record, place.steps, samples);
  const label = `profiling ${instance.name} at ${formatRate(place.rate)} of ${load.name}`;
  try {
    await settle(context, load);
    await progress.during(label, () => profileAt(context, load, place, instance));
  } catch (error) {
    progress.signal.throwIfAborted();
    progress.line(`  no CPU profile of ${load.name}: ${messageOf(error)}`);
  }
}

/** The knee, unless n8n died there: a profile ends with its process. */
function choosePlace({ plan }: StepContext, { name }: LoadPlan, steps: StepRecord[]): Place | undefined {
  const judged = judgeSteps(plan, steps).loads.find((l) => l.load === name)!;
  const knee = kneeSteps(judged)[0]?.step.rate;
  const at = (rate: number) => steps.filter((s) => s.rate === rate);
  const survives = (rate: number) => !at(rate).some((s) => s.events.some((e) => e.kind === 'died'));
  const rates = steps.flatMap((s) => s.rate ?? []).filter(survives);
  const rate = knee !== undefined && survives(knee) ? knee : Math.max(...rates);
  return Number.isFinite(rate) ? { rate, broke: rate === knee, steps: at(rate) } : undefined;
}

type Instance = DeploymentRecord['instances'][number];

/** The n8n process whose main thread was fullest in these steps. */
function busiest({ instances }: DeploymentRecord, steps: StepRecord[], samples: Sample[]): Instance {
  const n8n = instances.filter(({ component }) => runsN8n(component));
  const threadUse = ({ name }: Instance) =>
    Math.max(...steps.map((s) => insideBetween(samples, name, s.measuredFrom, s.measuredTo).threadCores ?? 0));
  return n8n.reduce((top, instance) => (threadUse(instance) > threadUse(top) ? instance : top));
}

async function profileAt(context: StepContext, load: LoadPlan, place: Place, instance: Instance): Promise<void> {
  const { deployment, plan, recorder } = context;
  const { rate, broke } = place;
  const csv = join('steps', `profile-${load.name}.csv.gz`);
  const mark = deployment.events.mark;
  const died = () => deployment.events.since(mark).some((e) => e.kind === 'died');
  const request = {
    load,
    at: { rate },
    index: 0,
    stepSeconds: PROFILE_SECONDS,
    profile: { stopsAtDeath: true as const },
  };
  context.unsettled = true;
  const ending = generate(context, request, csv, died);
  const over = new AbortController();
  ending.catch((error: unknown) => over.abort(error));
  const [profile] = await Promise.all([takeProfile(context, load, instance.name, over.signal), ending]);
  const requests = new Requests(load.serviceSeconds, plan.slo);
  await streamSamples(join(recorder.folder, csv), requests);
  const measuredFrom = requests.begunAt ?? requests.firstSentAt ?? Date.now();
  const profiled = {
    measuredFrom,
    measuredTo: measuredFrom + PROFILE_SECONDS * 1000,
    summary: requests.summary(measuredFrom),
  };
  const file = `cpu-profile-${load.name}.cpuprofile`;
  await recorder.whole(file, JSON.stringify(removeFolders(profile)));
  await recorder.profile({
    load: load.name,
    rate,
    broke,
    instance: instance.name,
    component: instance.component,
    intervalMicros: SAMPLING_MICROS,
    ...buildFlameGraph(profile),
    cpuMillisPerRequest: computeCpuCost(context.samples, instance.name, [profiled], place.steps),
    file,
  });
}

/** @param signal is aborted when the load fails or the user ends the run */
async function takeProfile(
  { deployment, plan }: StepContext,
  load: LoadPlan,
  instance: string,
  signal: AbortSignal,
): Promise<CpuProfile> {
  await sleep(warmupSeconds(plan, load) * 1000, undefined, { signal });
  const running = await deployment.profile!(instance);
  await sleep(PROFILE_SECONDS * 1000, undefined, { signal }).catch(() => {});
  return running.stop();
}

type Seen = Pick<StepRecord, 'measuredFrom' | 'measuredTo' | 'summary'>;

/** CPU of the instance per answered request, with and without the profiler. */
function computeCpuCost(
  samples: Sample[],
  name: string,
  withProfile: Seen[],
  without: Seen[],
): ProfileRecord['cpuMillisPerRequest'] {
  const cost = (steps: Seen[]) => {
    const all = steps.map((step) => ({
      cores: usageBetween(samples, step.measuredFrom, step.measuredTo).get(name)?.meanCores ?? 0,
      answered: answeredRate(step),
    }));
    const answered = all.reduce((sum, s) => sum + s.answered, 0);
    const cores = all.reduce((sum, s) => sum + s.cores, 0);
    return answered > 0 && cores > 0 ? (cores / answered) * 1000 : undefined;
  };
  const [profiled, unprofiled] = [cost(withProfile), cost(without)];
  return { ...(profiled !== undefined && { profiled }), ...(unprofiled !== undefined && { unprofiled }) };
}
