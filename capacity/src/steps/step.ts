import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../errors.js';
import { startK6, THRESHOLDS_FAILED } from '../load/k6.js';
import { readSamples, type K6Samples } from '../load/samples.js';
import { summarise } from '../load/summary.js';
import type { Sample } from '../observe/sampler.js';
import type { LoadPlan, Plan } from '../plan/plan.js';
import type { StepRecord } from '../record/types.js';
import { longest, type StepContext } from './context.js';
import { backlog, countedExecutions, drain } from './executions.js';
import { leavesWork, settle } from './settle.js';

/** Runs one step: warm-up, measured part, drain. Records it and returns it. */
export async function runStep(
  context: StepContext,
  load: LoadPlan,
  at: { rate: number } | { clients: number },
  index: number,
): Promise<StepRecord> {
  const { plan, deployment, sampler, progress } = context;
  const csv = join('steps', `${String(index).padStart(2, '0')}-${load.name}.csv.gz`);
  await settle(context, load);
  const firstEvent = deployment.events.length;
  const before = await countedExecutions(sampler, progress.signal);
  const died = () => deployment.events.slice(firstEvent).some((e) => e.kind === 'died');
  const started = Date.now();
  const ended = await driveK6(context, load, at, csv, died);

  const samples = await readSamples(join(context.recorder.folder, csv)).catch((error: unknown) => ({
    ...NO_SAMPLES,
    problem: messageOf(error),
  }));
  const all = [...samples.warmup, ...samples.measured];
  const measuredFrom =
    samples.measured.length > 0
      ? samples.measured.reduce((first, s) => Math.min(first, s.sentAt), Infinity)
      : started + warmup(plan, load) * 1000;
  const measuredTo = measuredFrom + plan.stepSeconds * 1000;
  const accepted = all.filter((s) => s.correct).length;
  const executions = before && !ended.stopped ? await drain(context, load, before, accepted) : null;
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
    summary: summarise(samples, load.serviceSeconds, measuredFrom),
    executions,
    backlog: before ? backlog(context.samples, all, before, measuredFrom, measuredTo) : [],
    events: deployment.events.slice(firstEvent),
  };
  context.unsettled = leavesWork(record);
  await context.recorder.step(record);
  return record;
}

interface K6Ended {
  exitCode: number | undefined;
  signal: string | undefined;
  stderr: string;
  /** It was stopped because something had died. */
  stopped: boolean;
}

/**
 * Runs k6 to its end, or until the user ends the run. In a search it is stopped when something has died: more load would
 * tell nothing more. Elsewhere the step goes on, since what happens after a death is part of the answer.
 */
async function driveK6(
  { plan, k6, deployment, sampler, samples, progress, recorder }: StepContext,
  load: LoadPlan,
  at: { rate: number } | { clients: number },
  csv: string,
  died: () => boolean,
): Promise<K6Ended> {
  const { signal } = progress;
  signal.throwIfAborted();
  const { stepSeconds, timeoutSeconds, scriptEnv } = plan;
  const { endpoints, token } = deployment;
  const step = { load, ...at, stepSeconds, warmupSeconds: warmup(plan, load), timeoutSeconds, scriptEnv };
  const run = startK6(k6, { ...step, endpoints, token, folder: recorder.folder, csv });
  let stopped = false;
  const kill = () => run.kill();
  signal.addEventListener('abort', kill);
  sampler.watchGenerator(run.pid);
  const ticker = setInterval(() => {
    progress.update(liveLine(samples, load, at));
    if (plan.rates.kind !== 'search' || stopped || !died()) return;
    stopped = true;
    kill();
  }, 1000);
  try {
    const ended = await run.finished;
    signal.throwIfAborted();
    return { ...ended, stopped };
  } finally {
    clearInterval(ticker);
    signal.removeEventListener('abort', kill);
    sampler.watchGenerator(undefined);
  }
}

const NO_SAMPLES: K6Samples = { warmup: [], measured: [], dropped: 0, vusMost: 0 };

/** Long enough that the slowest execution of the mix is in its steady state when the measured part begins. */
const warmup = (plan: Plan, load: LoadPlan) => Math.max(plan.warmupSeconds, Math.ceil(longest(load) + 2));

function k6Problem(ended: K6Ended, samples: { problem?: string } | K6Samples): { message?: string } {
  if (ended.stopped) return {};
  if (ended.exitCode !== 0 && ended.exitCode !== THRESHOLDS_FAILED) {
    const tail = ended.stderr.trim().split('\n').slice(-3).join(' ');
    const how = ended.signal ? `signal ${ended.signal}` : `exit code ${ended.exitCode}`;
    return { message: `k6 ended with ${how}: ${tail}` };
  }
  return 'problem' in samples && samples.problem ? { message: `k6's samples cannot be read: ${samples.problem}` } : {};
}

/** Share of all cores that k6 used over the measured part. */
function generatorShare(samples: Sample[], from: number, to: number): number | null {
  const seen = samples.filter((s) => s.generator && s.at >= from && s.at <= to);
  const [first, last] = [seen[0], seen.at(-1)];
  if (!first || !last || first === last) return null;
  const cpu = last.generator!.cpuSeconds - first.generator!.cpuSeconds;
  return cpu / ((last.at - first.at) / 1000) / availableParallelism();
}

function liveLine(samples: Sample[], load: LoadPlan, at: { rate: number } | { clients: number }): string {
  const last = samples.at(-1);
  const main = last?.instances
    .map((i) => `${i.name.replace(/^n8n-tuned-/, '')} ${Math.round(i.rssBytes / 2 ** 20)} MiB`)
    .join(', ');
  const ended = last?.executions ? `, ${last.executions.succeeded} executions ended` : '';
  return `${load.name} at ${'rate' in at ? `${at.rate}/s` : `${at.clients} clients`}${ended}${main ? ` (${main})` : ''}`;
}
