import { join } from 'node:path';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted, messageOf } from './errors.js';
import { startK6, THRESHOLDS_FAILED } from './load/k6.js';
import { readSamples, type K6Samples } from './load/samples.js';
import { summarise } from './load/summary.js';
import type { Sample, Sampler } from './observe/sampler.js';
import type { LoadPlan, Plan } from './plan/plan.js';
import type { Deployment } from './provision/deployment.js';
import type { Recorder } from './record/recorder.js';
import type { StepRecord } from './record/types.js';
import type { Progress } from './report/progress.js';

/** What the steps of one run share. */
export interface StepContext {
  plan: Plan;
  k6: string;
  deployment: Deployment;
  sampler: Sampler;
  /** Every sample so far; the sampler appends. */
  samples: Sample[];
  recorder: Recorder;
  progress: Progress;
  /** Set by a step that may have left work behind. */
  unsettled?: boolean;
}

/** k6 is never given fewer clients than this. */
const SPARE_CLIENTS = 10;
/** Longer than an execution by so much without one that ends, and nothing is left of the step before. */
const QUIET_MS = 3000;
/** The longest wait for what a broken step has left behind. */
const SETTLE_MS = 300_000;

/** What the slowest execution of the load takes by design, in seconds. */
const longest = (load: LoadPlan) => Math.max(...Object.values(load.executionSeconds));

/** Runs one step: warm-up, measured part, drain. Records it and returns it. */
export async function runStep(
  context: StepContext,
  load: LoadPlan,
  at: { rate: number } | { clients: number },
  index: number,
): Promise<StepRecord> {
  const { plan, deployment, sampler, progress } = context;
  const { signal } = progress;
  const rate = 'rate' in at ? at.rate : undefined;
  const name = `${String(index).padStart(2, '0')}-${load.name}`;
  const csv = join('steps', `${name}.csv.gz`);
  await settle(context, load);
  const firstEvent = deployment.events.length;
  const before = (await countedExecutions(sampler, signal)) ?? undefined;
  const warmupSeconds = warmup(plan, load);

  signal.throwIfAborted();
  const run = startK6(context.k6, {
    load,
    ...at,
    stepSeconds: plan.stepSeconds,
    warmupSeconds,
    timeoutSeconds: plan.timeoutSeconds,
    endpoints: deployment.endpoints,
    token: deployment.token,
    scriptEnv: plan.scriptEnv,
    folder: context.recorder.folder,
    csv,
  });
  const kill = () => run.kill();
  signal.addEventListener('abort', kill);
  sampler.watchGenerator(run.pid);
  const ticker = setInterval(() => progress.update(liveLine(context, load, at)), 1000);
  const started = Date.now();
  let ended;
  try {
    ended = await run.finished;
  } finally {
    clearInterval(ticker);
    signal.removeEventListener('abort', kill);
    sampler.watchGenerator(undefined);
  }
  if (signal.aborted) throw new Interrupted('interrupted');

  const samples = await readSamples(join(context.recorder.folder, csv)).catch((error: unknown) => ({
    ...NO_SAMPLES,
    problem: messageOf(error),
  }));
  const all = [...samples.warmup, ...samples.measured];
  const measuredFrom =
    samples.measured.length > 0
      ? samples.measured.reduce((first, s) => Math.min(first, s.sentAt), Infinity)
      : started + warmupSeconds * 1000;
  const measuredTo = measuredFrom + plan.stepSeconds * 1000;
  const accepted = all.filter((s) => s.correct).length;
  const executions = before && (await drain(context, load, before, accepted));
  const record: StepRecord = {
    index,
    load: load.name,
    ...at,
    measuredFrom,
    measuredTo,
    endedAt: Date.now(),
    k6: {
      exitCode: ended.exitCode ?? null,
      ...k6Problem(ended, samples),
      cpuShare: generatorShare(context.samples, measuredFrom, measuredTo),
      samples: csv,
    },
    summary: summarise(
      samples,
      load.serviceSeconds,
      measuredFrom,
      allowedClients(rate, 'clients' in at ? at.clients : undefined, plan),
    ),
    executions: executions ?? null,
    backlog: before ? backlog(context.samples, all, before, measuredFrom, measuredTo) : [],
    events: deployment.events.slice(firstEvent),
  };
  context.unsettled = leavesWork(record);
  await context.recorder.step(record);
  return record;
}

/** The deployment did not recover from a step; the steps before it stand. */
export class NotRecovered extends Error {
  override name = 'NotRecovered';
}

/**
 * Waits until nothing is left of the step before: everything is ready, and no execution ends any more. Executions that were
 * still queued, or that n8n takes up again after a crash, would be counted as the next step's.
 * @throws NotRecovered when that does not come about
 */
async function settle(context: StepContext, load: LoadPlan): Promise<void> {
  const { deployment, sampler, progress } = context;
  let died;
  try {
    died = await deployment.ready();
  } catch (error) {
    progress.signal.throwIfAborted();
    throw new NotRecovered(messageOf(error));
  }
  if (!died && !context.unsettled) return;
  const quiet = longest(load) * 1000 + QUIET_MS;
  const start = Date.now();
  for (let last = { ended: -1, at: start }; Date.now() - last.at < quiet;) {
    progress.update('waiting for what the step before has left');
    const now = await countedExecutions(sampler, progress.signal);
    const ended = now ? now.succeeded + now.failed : -1;
    if (ended !== last.ended) last = { ended, at: Date.now() };
    if (Date.now() - start > SETTLE_MS)
      throw new NotRecovered(`executions of the step before still end after ${SETTLE_MS / 1000} s`);
    await sleep(500, undefined, { signal: progress.signal });
  }
}

/** Whether executions may go on after the step: lost answers hide how many. */
const leavesWork = ({ executions, summary }: StepRecord) =>
  executions === null || executions.completed < executions.accepted || summary.failed > 0;

const NO_SAMPLES: K6Samples = { warmup: [], measured: [], dropped: 0, vusMost: 0, vusMade: 0 };

/** Long enough that the slowest execution of the mix is in its steady state when the measured part begins. */
const warmup = (plan: Plan, load: LoadPlan) => Math.max(plan.warmupSeconds, Math.ceil(longest(load) + 2));

/** As `loadtests/lib/scenarios.js` sizes them. */
const allowedClients = (rate: number | undefined, clients: number | undefined, plan: Plan) =>
  clients ?? Math.ceil(rate! * plan.timeoutSeconds) + SPARE_CLIENTS;

function k6Problem(
  ended: { exitCode: number | undefined; signal: string | undefined; stderr: string },
  samples: { problem?: string } | K6Samples,
) {
  const tail = ended.stderr.trim().split('\n').slice(-3).join(' ');
  if (ended.exitCode !== 0 && ended.exitCode !== THRESHOLDS_FAILED) {
    return {
      message: `k6 ended with ${ended.signal ? `signal ${ended.signal}` : `exit code ${ended.exitCode}`}: ${tail}`,
    };
  }
  return 'problem' in samples && samples.problem ? { message: `k6's samples cannot be read: ${samples.problem}` } : {};
}

interface Counted {
  succeeded: number;
  failed: number;
}

/** n8n may be too busy to answer at once; a count that stays unreadable is undefined, never assumed. */
async function countedExecutions(sampler: Sampler, signal: AbortSignal): Promise<Counted | undefined> {
  for (let i = 0; i < 5 && !signal.aborted; i++) {
    const { executions } = await sampler.sample(5000);
    if (executions) return executions;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  return undefined;
}

/** Waits until as many executions have ended as were accepted, at most the drain time beyond what one takes by design. */
async function drain(
  context: StepContext,
  load: LoadPlan,
  before: Counted,
  accepted: number,
): Promise<StepRecord['executions']> {
  const start = Date.now();
  const most = (context.plan.drainSeconds + longest(load)) * 1000;
  for (;;) {
    const now = await countedExecutions(context.sampler, context.progress.signal);
    if (context.progress.signal.aborted) throw new Interrupted('interrupted');
    if (!now) return null;
    const failed = now.failed - before.failed;
    const completed = now.succeeded - before.succeeded + failed;
    const waited = Date.now() - start;
    if (waited > most && !context.sampler.counting) return null;
    if (completed >= accepted || waited > most) return { accepted, completed, failed, drainSeconds: waited / 1000 };
    context.progress.update(`draining: ${completed} of ${accepted} executions have ended`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Share of all cores that k6 used over the measured part. */
function generatorShare(samples: Sample[], from: number, to: number): number | null {
  const seen = samples.filter((s) => s.generator && s.at >= from && s.at <= to);
  const [first, last] = [seen[0], seen.at(-1)];
  if (!first || !last || first === last) return null;
  const cpu = last.generator!.cpuSeconds - first.generator!.cpuSeconds;
  return cpu / ((last.at - first.at) / 1000) / availableParallelism();
}

/** Executions accepted so far less those that have ended, at each sample of the measured part. */
function backlog(
  samples: Sample[],
  requests: { sentAt: number; correct: boolean }[],
  before: Counted,
  from: number,
  to: number,
): StepRecord['backlog'] {
  const sent = requests
    .filter((r) => r.correct)
    .map((r) => r.sentAt)
    .sort((a, b) => a - b);
  let accepted = 0;
  return samples
    .filter((s) => s.executions && s.at >= from && s.at <= to)
    .map((s) => {
      while (accepted < sent.length && sent[accepted]! <= s.at) accepted++;
      const ended = s.executions!.succeeded + s.executions!.failed - before.succeeded - before.failed;
      return { at: (s.at - from) / 1000, executions: accepted - ended };
    });
}

function liveLine({ samples }: StepContext, load: LoadPlan, at: { rate: number } | { clients: number }): string {
  const last = samples.at(-1);
  const main = last?.instances
    .map((i) => `${i.name.replace(/^n8n-tuned-/, '')} ${Math.round(i.rssBytes / 2 ** 20)} MiB`)
    .join(', ');
  const ended = last?.executions ? `, ${last.executions.succeeded} executions ended` : '';
  return `${load.name} at ${'rate' in at ? `${at.rate}/s` : `${at.clients} clients`}${ended}${main ? ` (${main})` : ''}`;
}
