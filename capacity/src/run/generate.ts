import type { Kind, LoadPlan, Plan } from '../model/plan.js';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withoutSecrets } from '../plan/redact.js';
import { BUSY_SECONDS, busiestRate, readRecording, scaledTimes } from '../plan/recording.js';
import { writeWhole } from '../record/files.js';
import type { GeneratorEnd, StepLoad } from '../model/generator.js';
import type { StepForecast, StepRecord } from '../model/step.js';
import { THRESHOLDS_FAILED_CODE } from '../load/k6.js';
import { longestExecution, type StepAt, type StepContext } from './context.js';
import { liveLine } from './live-line.js';
import { endsAt } from './ends-early.js';
import type { DriveProfile } from './profile.js';

/** One step to run. */
export interface StepRequest {
  load: LoadPlan;
  at: StepAt;
  index: number;
  /** Length of the measured part. */
  stepSeconds: number;
  /** What the steps before it say of it; undefined where they are too few. */
  forecast?: StepForecast;
  profile: Pick<DriveProfile<Kind>, 'stopsAtDeath' | 'endsOnceDecided' | 'judgesCutStep'>;
}

/** How the generator of a step ended. */
export interface GeneratedLoad extends GeneratorEnd {
  /** It was stopped because something had died. */
  stopped: boolean;
  /** When the user ended it, in milliseconds since the epoch. */
  cutAt?: number;
  /** k6 ended early by itself: errors were clearly above the objective. */
  aborted: boolean;
}

/**
 * Runs k6 to its end, or until the user ends the run. A search stops it when something has died.
 * @param csv file of its samples, relative to the record's folder
 * @throws CannotRecord as soon as something could not be recorded
 */
export async function generate(
  { plan, generator, deployment, sampler, samples, progress, recorder }: StepContext,
  { load, at, index, stepSeconds, profile }: StepRequest,
  csv: string,
  died: () => boolean,
): Promise<GeneratedLoad> {
  const { signal } = progress;
  signal.throwIfAborted();
  const { endpoints, token } = deployment.access;
  const bounds = 'phases' in at ? at.bounds : undefined;
  const scriptEnv = {
    ...plan.scriptEnv,
    ...deployment.access.scriptEnv,
    ...payloadVariable(load, at),
    ...(bounds && { MAX_VUS: String(bounds.maxVUs) }),
  };
  const { arrivals } = plan;
  const seeded = arrivals.kind === 'poisson' ? { ...arrivals, seed: arrivals.seed + index } : arrivals;
  const recorded = arrivals.kind === 'recorded' && (await recordedTimes(arrivals, load, recorder.folder));
  const step = {
    load,
    ...at,
    ...endsAt(plan, { at, stepSeconds, profile }),
    arrivals: seeded,
    ...(recorded && { recorded }),
    stepSeconds,
    warmupSeconds: warmupSeconds(plan, load),
    timeoutSeconds: bounds?.timeoutSeconds ?? plan.timeoutSeconds,
    scriptEnv,
  };
  // Since recorded times were written, which takes its time, Ctrl-C may have been pressed.
  signal.throwIfAborted();
  const due = Date.now() + (step.warmupSeconds + stepSeconds) * 1000;
  const run = generator.start({ ...step, endpoints, token, folder: recorder.folder, csv });
  let stopped = false;
  let cutAt: number | undefined;
  const kill = () => {
    cutAt = Date.now();
    run.kill();
  };
  signal.addEventListener('abort', kill);
  sampler.watchGenerator(run);
  const ticker = setInterval(() => {
    progress.update(liveLine(samples.at(-1), load, at, due - Date.now()));
    if (stopped || !(recorder.failure || (profile.stopsAtDeath && died()))) return;
    stopped = true;
    run.kill();
  }, 1000);
  try {
    const ended = await run.finished;
    // k6 ends with the last arrival; the recorded time may go on, and is measured to its end.
    const mayBeAborted = plan.guard !== undefined && ended.exitCode === THRESHOLDS_FAILED_CODE;
    if (recorded && !stopped && !mayBeAborted)
      await sleep(Math.max(0, due - Date.now()), undefined, { signal }).catch(() => {});
    if (recorder.failure) throw recorder.failure;
    if (!profile.judgesCutStep) signal.throwIfAborted();
    const aborted = mayBeAborted && Date.now() < due;
    return { ...ended, stopped, aborted, ...(cutAt !== undefined && { cutAt }) };
  } finally {
    clearInterval(ticker);
    signal.removeEventListener('abort', kill);
    sampler.watchGenerator(undefined);
  }
}

/**
 * Writes the times of recorded arrivals for k6, into the record: they are the load that was replayed.
 * @returns the absolute path, and enough clients for answers that take 10 s longer than by design
 */
async function recordedTimes(
  { file, times, seed }: Extract<Plan['arrivals'], { kind: 'recorded' }>,
  load: LoadPlan,
  folder: string,
): Promise<NonNullable<StepLoad['recorded']>> {
  const due = scaledTimes(readRecording(file, '--arrivals'), times, seed);
  const path = resolve(folder, 'arrivals.json');
  await writeWhole(path, `${JSON.stringify([...due].map((at) => Number(at.toFixed(6))))}\n`);
  const clients = Math.ceil(busiestRate(due) * (longestExecution(load) + LATE_ANSWER_SECONDS)) + BUSY_SECONDS;
  return { file: path, clients: Math.min(due.length, clients, MOST_CLIENTS) };
}
const LATE_ANSWER_SECONDS = 10;
/** Each takes 0.4 MB. */
const MOST_CLIENTS = 5000;

/** Exit code of a container that the kernel killed: its memory was full. */
const KILLED = 137;

/** How the script gets the size of each execution's payload: a workload by its variable, a custom workflow in its query. */
function payloadVariable({ custom }: LoadPlan, at: StepAt): Record<string, string> {
  if (!('payloadMiB' in at) || at.payloadMiB === undefined) return {};
  return custom ? { WEBHOOK_PATH: `${custom.path}?mb=${at.payloadMiB}` } : { MB: String(at.payloadMiB) };
}

/** Long enough that the slowest execution of the mix is in its steady state when the measured part begins. */
export const warmupSeconds = (plan: Pick<Plan, 'warmupSeconds'>, load: LoadPlan): number =>
  Math.max(plan.warmupSeconds, Math.ceil(longestExecution(load) + 2));

/**
 * What is wrong with the generator's part of a step; undefined when nothing is.
 * @param unreadable why its samples cannot be read
 */
export function findProblem(ended: GeneratedLoad, unreadable: string | undefined): string | undefined {
  if (ended.stopped) return undefined;
  if (ended.cutAt === undefined && ended.exitCode !== 0 && ended.exitCode !== THRESHOLDS_FAILED_CODE) {
    const tail = withoutSecrets(ended.stderr.trim().split('\n').slice(-3).join(' '));
    if (ended.signal) return `k6 ended with signal ${ended.signal}: ${tail}`;
    if (ended.exitCode === undefined) return `k6 gave no whole result: ${tail}`;
    if (ended.exitCode === KILLED)
      return `k6 was killed (exit code ${KILLED}): raise its memory limit, loadTest.resources.limits.memory; each virtual user takes 0.4 MB`;
    return `k6 ended with exit code ${ended.exitCode}: ${tail}`;
  }
  return unreadable && `k6's samples cannot be read: ${unreadable}`;
}

/** Share of its cores that the generator used, 0 to 1; null when it was not seen twice in that time. */
export function generatorShare(
  { samples, generator }: Pick<StepContext, 'samples' | 'generator'>,
  [from, to]: [number, number],
): StepRecord['k6']['cpuShare'] {
  const seen = samples.filter((s) => s.generator && s.at >= from && s.at <= to);
  const [first, last] = [seen[0], seen.at(-1)];
  if (!first || !last || first === last) return null;
  const cpu = last.generator!.cpuSeconds - first.generator!.cpuSeconds;
  return cpu / ((last.at - first.at) / 1000) / generator.cores;
}
