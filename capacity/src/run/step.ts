import { mebibytes } from '../core/formats.js';
import type { DriveProfile } from './profile.js';
import type { PhaseRecord, StepRecord } from '../model/step.js';
import type { Sample } from '../model/sample.js';
import type { GeneratorEnd } from '../model/generator.js';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../core/errors.js';
import { THRESHOLDS_FAILED } from '../load/k6.js';
import { PhasedRequests } from '../load/phased-requests.js';
import { Requests } from '../load/requests.js';
import { readInto } from '../load/samples.js';
import type { Kind, LoadPlan, Plan } from '../model/plan.js';
import type { Deployment } from '../model/deployment.js';
import { longest, type StepAt, type StepContext } from './context.js';
import { backlog, countedExecutions, drain } from './executions.js';
import { leavesWork, settle } from './settle.js';

/** One step to run. */
export interface StepRequest {
  load: LoadPlan;
  at: StepAt;
  index: number;
  /** Length of the measured part. */
  stepSeconds: number;
  profile: Pick<DriveProfile<Kind>, 'stopsAtDeath' | 'judgesCutStep'>;
}

/** A drained backlog is watched for some samples more: that it stays so is what says it. */
const AFTER_BURST_MS = 4000;

/** Runs one step: warm-up, measured part, drain. Records it and returns it. */
export async function runStep(context: StepContext, request: StepRequest): Promise<StepRecord> {
  const { load, at, index, stepSeconds } = request;
  const { plan, generator, deployment, sampler, progress } = context;
  const csv = join('steps', `${String(index).padStart(2, '0')}-${load.name}.csv.gz`);
  await settle(context, load);
  const mark = deployment.events.mark;
  const before = await countedExecutions(sampler, progress.signal);
  const died = () => deployment.events.since(mark).some((e) => e.kind === 'died');
  const started = Date.now();
  const ended = await driveK6(context, request, csv, died);

  const requests =
    'phases' in at
      ? new PhasedRequests(load.serviceSeconds, at.phases)
      : new Requests(load.serviceSeconds, ended.cutAt);
  const problem = await readInto(join(context.recorder.folder, csv), requests).then(() => undefined, messageOf);
  const sentAt = requests.acceptedAt();
  const warm = warmup(plan, load) * 1000;
  const firstMeasured = requests.firstSentAt ?? started + warm;
  // Clients that wait for an answer send nothing when the measured part begins; k6 began when it sent the first request.
  const measuredFrom = 'clients' in at ? Math.min(firstMeasured, (sentAt[0] ?? Infinity) + warm) : firstMeasured;
  const measuredTo = Math.min(measuredFrom + stepSeconds * 1000, ended.cutAt ?? Infinity);
  const executions = before && !ended.stopped ? await drain(context, load, before, sentAt.length, ended.cutAt) : null;
  const phases = requests instanceof PhasedRequests ? requests.phaseRecords() : undefined;
  const [busyFrom, busyTo] = busiest(phases, measuredFrom) ?? [measuredFrom, measuredTo];
  if (phases) await sleep(AFTER_BURST_MS);
  const endedAt = Date.now();
  const record: StepRecord = {
    index,
    load: load.name,
    ...(!('phases' in at) && at),
    ...(phases && { phases }),
    measuredFrom,
    measuredTo,
    endedAt,
    k6: {
      exitCode: ended.exitCode ?? null,
      ...k6Problem(ended, problem),
      cpuShare: generatorShare(context, busyFrom, busyTo),
      ...(generator.limit !== undefined && { limit: generator.limit }),
      samples: csv,
      ...placeOf(ended, deployment),
    },
    summary: requests.summary(measuredFrom),
    executions,
    backlog: before ? backlog(context.samples, sentAt, before, measuredFrom, phases ? endedAt : measuredTo) : [],
    events: deployment.events.since(mark),
    ...(ended.aborted && { aborted: true as const }),
  };
  context.unsettled = leavesWork(record);
  await context.recorder.step(record);
  progress.signal.throwIfAborted();
  return record;
}

interface K6Ended extends GeneratorEnd {
  /** It was stopped because something had died. */
  stopped: boolean;
  /** When the user ended a soak, in milliseconds since the epoch: what was seen until then is judged. */
  cutAt?: number;
  /** It ended early by itself: errors were clearly above the objective. */
  aborted: boolean;
}

/**
 * Runs k6 to its end, or until the user ends the run. In a search, for a rate or a payload, it is stopped when something
 * has died: more load would tell nothing more. Elsewhere the step goes on, since what happens after a death is part of the answer.
 * @throws CannotRecord, as soon as something could not be
 */
async function driveK6(
  { plan, generator, deployment, sampler, samples, progress, recorder }: StepContext,
  { load, at, stepSeconds, profile }: StepRequest,
  csv: string,
  died: () => boolean,
): Promise<K6Ended> {
  const { signal } = progress;
  signal.throwIfAborted();
  const { timeoutSeconds } = plan;
  const scriptEnv = { ...plan.scriptEnv, ...deployment.access.scriptEnv, ...payloadOf(load, at) };
  const { endpoints, token } = deployment.access;
  const step = { load, ...at, stepSeconds, warmupSeconds: warmup(plan, load), timeoutSeconds, scriptEnv };
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
    progress.update(`${liveLine(samples, load, at)}, ${timeLeft(due - Date.now())}`);
    const useless = recorder.failure !== undefined || (profile.stopsAtDeath && died());
    if (stopped || !useless) return;
    stopped = true;
    run.kill();
  }, 1000);
  try {
    const ended = await run.finished;
    if (recorder.failure) throw recorder.failure;
    if (!profile.judgesCutStep) signal.throwIfAborted();
    const aborted = plan.guard !== undefined && ended.exitCode === THRESHOLDS_FAILED && Date.now() < due;
    return { ...ended, stopped, aborted, ...(cutAt !== undefined && { cutAt }) };
  } finally {
    clearInterval(ticker);
    signal.removeEventListener('abort', kill);
    sampler.watchGenerator(undefined);
  }
}

/** How the script is told what each execution is to hold: a workload by its variable, a workflow of one's own in its query. */
function payloadOf({ custom }: LoadPlan, at: StepAt): Record<string, string> {
  if (!('payloadMiB' in at) || at.payloadMiB === undefined) return {};
  return custom ? { WEBHOOK_PATH: `${custom.path}?mb=${at.payloadMiB}` } : { MB: String(at.payloadMiB) };
}

/** A k6 that does not say where it ran was on this machine. */
function placeOf(
  { place }: GeneratorEnd,
  { access: { generatorPlace = place } }: Deployment,
): Pick<StepRecord['k6'], 'place'> {
  return generatorPlace ? { place: generatorPlace } : {};
}

/** Long enough that the slowest execution of the mix is in its steady state when the measured part begins. */
const warmup = (plan: Pick<Plan, 'warmupSeconds'>, load: LoadPlan) =>
  Math.max(plan.warmupSeconds, Math.ceil(longest(load) + 2));

function k6Problem(ended: K6Ended, unreadable: string | undefined): { message?: string } {
  if (ended.stopped) return {};
  if (ended.cutAt === undefined && ended.exitCode !== 0 && ended.exitCode !== THRESHOLDS_FAILED) {
    const tail = ended.stderr.trim().split('\n').slice(-3).join(' ');
    const how = ended.signal ? `signal ${ended.signal}` : `exit code ${ended.exitCode}`;
    return { message: `k6 ended with ${how}: ${tail}` };
  }
  return unreadable === undefined ? {} : { message: `k6's samples cannot be read: ${unreadable}` };
}

/** Around the spike, in which k6 has most to do, in milliseconds since the epoch. */
function busiest(phases: PhaseRecord[] | undefined, measuredFrom: number): [number, number] | undefined {
  const spike = phases?.find(({ name }) => name === 'spike');
  return spike && [measuredFrom + (spike.from - 1) * 1000, measuredFrom + (spike.to + 2) * 1000];
}

/** Share of its cores that k6 used over that time. */
function generatorShare({ samples, generator }: StepContext, from: number, to: number): number | null {
  const seen = samples.filter((s) => s.generator && s.at >= from && s.at <= to);
  const [first, last] = [seen[0], seen.at(-1)];
  if (!first || !last || first === last) return null;
  const cpu = last.generator!.cpuSeconds - first.generator!.cpuSeconds;
  return cpu / ((last.at - first.at) / 1000) / generator.cores;
}

function liveLine(samples: Sample[], load: LoadPlan, at: StepAt): string {
  const last = samples.at(-1);
  const main = last?.instances
    .map((i) => `${i.name.replace(/^n8n-tuned-/, '')} ${mebibytes(i.rssBytes)} MiB`)
    .join(', ');
  const ended = last?.executions ? `, ${last.executions.succeeded} executions ended` : '';
  return `${load.name} at ${askedFor(at)}${ended}${main ? ` (${main})` : ''}`;
}

function askedFor(at: StepAt): string {
  if ('rate' in at) return `${at.rate}/s`;
  return 'phases' in at ? at.phases.map((phase) => `${phase.rate}/s`).join(', ') : `${at.clients} clients`;
}

/** `1 h 5 min left`, `40 s left`; of what is overdue nothing is known. */
function timeLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds <= 0) return 'waiting for the last answers';
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.ceil((seconds % 3600) / 60)];
  if (seconds > 3600) return `${hours} h ${minutes} min left`;
  return seconds > 60 ? `${Math.ceil(seconds / 60)} min left` : `${seconds} s left`;
}
