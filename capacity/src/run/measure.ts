import { readFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { rankChoices } from '../workflow/check/check.js';
import { deriveCircumstances } from '../workflow/check/circumstances.js';
import { readGains } from '../workflow/check/gains.js';
import { workflowsFolder } from '../core/paths.js';
import { formatAboutSeconds } from '../core/formats.js';
import type { Progress } from '../core/progress.js';
import type { Deployment, Prepared } from '../model/deployment.js';
import type { Generator } from '../model/generator.js';
import type { LoadPlan, Plan } from '../model/plan.js';
import type { HooksLook, Noise, RunRecord } from '../model/run.js';
import type { Sample } from '../model/sample.js';
import type { StepRecord } from '../model/step.js';
import { ClockWatch } from '../observe/clock.js';
import { readHooks } from '../observe/hooks.js';
import { asynchronousIn } from '../plan/custom-workflow/sub-workflows.js';
import { Sampler } from '../observe/sampler.js';
import { readCustom } from '../plan/custom-workflow/load.js';
import { redactedPlan } from '../plan/redact.js';
import type { Recorder } from '../record/recorder.js';
import { hooksText } from '../report/hooks.js';
import { isBroken } from './broken.js';
import type { StepContext } from './context.js';
import { profileLoad } from './cpu-profile.js';
import { driveLoad } from './drive.js';
import { expectedLoadSeconds } from './expected-time.js';
import { NotRecovered } from './settle.js';

/** What a measurement needs. */
export interface Measurement {
  /** The command, for the record. */
  tool: string;
  plan: Plan;
  prepared: Prepared;
  /** The generator, where the deployment does not bring its own. */
  generator?: Generator;
  recorder: Recorder;
  /** Recorded steps of a run that was interrupted: they are not run again. */
  recorded?: StepRecord[];
  /** Noise of this configuration, as measured on this machine before. */
  noise?: Noise;
  progress: Progress;
}

/**
 * Deploys a configuration, drives it step by step and records everything. Nothing is left running, whatever happens; the
 * record stays.
 * @returns why the run ended early, where the deployment did not recover from a step
 * @throws NotReady when the deployment does not come up, Interrupted when the user ended the run
 */
export async function measure(measurement: Measurement): Promise<{ endedEarly?: string }> {
  const { prepared, recorder, recorded = [] } = measurement;
  const deployment = await prepared.deploy(join(recorder.folder, 'logs'));
  try {
    const generator = deployment.access.generator ?? measurement.generator;
    if (!generator) throw new Error('neither the deployment nor the measurement has a generator');
    await seed(measurement, deployment);
    const whole = { ...measurement, deployment, generator };
    if (recorded.length === 0) await recorder.run(runRecord({ ...whole, hooks: await reportHooks(whole) }));
    return await drive(whole, recorded);
  } finally {
    try {
      await deployment.teardown();
    } finally {
      for (const event of deployment.events.all) await recorder.event(event);
    }
  }
}

/** Says which of the chart's hooks have bound, before the load begins. */
async function reportHooks({ deployment, progress }: { deployment: Deployment; progress: Progress }) {
  const hooks = await readHooks(deployment.sources.observer);
  if (hooks) progress.line(`hooks: ${hooksText(hooks)}`);
  return hooks;
}

/** Fills the database, as the plan asks. */
export async function seed(
  { plan, progress }: Pick<Measurement, 'plan' | 'progress'>,
  deployment: Deployment,
): Promise<void> {
  const { seedExecutions: executions, loads } = plan;
  if (executions === undefined) return;
  if (!deployment.seed) throw new Error('this deployment cannot be seeded');
  const [workflowId] = deployment.sources.workflowIds ?? (await workflowIds(loads[0]!));
  await progress.during(`putting ${executions} executions into the database`, () =>
    deployment.seed!({ executions, workflowId: workflowId! }),
  );
}

async function drive(
  base: Omit<StepContext, 'sampler' | 'samples' | 'clock' | 'countsAsynchronous'>,
  recorded: StepRecord[],
): Promise<{ endedEarly?: string }> {
  const { deployment, plan, progress, recorder } = base;
  const samples: Sample[] = [];
  let written: Promise<void> = Promise.resolve();
  const ids = deployment.sources.workflowIds ?? new Set((await Promise.all(plan.loads.map(workflowIds))).flat());
  const asynchronousIds = deployment.sources.asynchronousIds ?? findAsynchronous(plan);
  const sampler = new Sampler(
    deployment.sources,
    deployment.events,
    { workflowIds: ids, asynchronousIds },
    (sample) => {
      samples.push(sample);
      written = written.then(() => recorder.sample(sample));
      written.catch(() => {}); // awaited at the end
    },
  );
  sampler.start();
  const clock = new ClockWatch();
  let endedEarly: string | undefined;
  try {
    await driveLoads({ ...base, sampler, samples, clock, countsAsynchronous: asynchronousIds.size > 0 }, recorded);
  } catch (error) {
    if (!(error instanceof NotRecovered)) throw error;
    endedEarly = error.message;
    progress.line(`  ended early: ${error.message}`);
  } finally {
    clock.stop();
    await sampler.stop();
  }
  await written;
  return { ...(endedEarly !== undefined && { endedEarly }) };
}

async function driveLoads(context: StepContext, recorded: StepRecord[]): Promise<void> {
  const { plan, progress } = context;
  const { loads } = plan;
  const steps: StepRecord[] = [];
  for (const [i, load] of loads.entries()) {
    if (loads.length > 1)
      progress.line(
        `[${i + 1}/${loads.length}] ${load.name}, ${formatAboutSeconds(expectedLoadSeconds(loads.slice(i), plan))} left`,
      );
    const driven = await driveLoad(context, load, steps, recorded);
    steps.push(...driven);
    if (plan.cpuProfile) await profileLoad(context, load, driven);
    if (plan.guard && steps.some((step) => isBroken(step, plan))) return;
  }
}

/** Ids of the workflows whose executions are counted: those that the load's requests start. */
async function workflowIds({ custom, parts }: LoadPlan): Promise<string[]> {
  return custom ? [custom.id] : Promise.all(parts.map((part) => bundledId(part.workload)));
}

/** Asynchronous sub-workflows of the plan's workflows; the catalogue has none. */
const findAsynchronous = ({ loads }: Plan): Set<string> =>
  asynchronousIn(loads.flatMap(({ custom }) => (custom ? readCustom(custom).workflows : [])));

async function bundledId(name: string): Promise<string> {
  return String((JSON.parse(await readFile(join(workflowsFolder, `${name}.json`), 'utf8')) as { id: string }).id);
}

function runRecord({
  tool,
  plan,
  prepared,
  generator,
  deployment,
  noise,
  hooks,
}: Measurement & { deployment: Deployment; generator: Generator; hooks: HooksLook | undefined }): RunRecord {
  const cpuModel = cpus()[0]?.model.trim();
  return {
    tool,
    startedAt: new Date().toISOString(),
    plan: redactedPlan(plan),
    versions: { ...prepared.versions, ...(deployment.node && { node: deployment.node }), k6: generator.version },
    machine: {
      cpus: availableParallelism(),
      ...(cpuModel && { cpuModel }),
      memoryBytes: totalmem(),
      platform: `${process.platform} ${process.arch}`,
      ...(generator.limit !== undefined && { generatorLimit: generator.limit }),
      ...(noise && { noise }),
    },
    deployment: { ...deployment.record, ...(hooks && { hooks }) },
    ...choices(plan, prepared, deployment),
  };
}

/** What a custom workflow does that costs capacity on this n8n. */
function choices({ loads }: Plan, { versions }: Prepared, { record }: Deployment): Pick<RunRecord, 'choices'> {
  const custom = loads[0]?.custom;
  if (!custom) return {};
  return { choices: rankChoices(readCustom(custom).workflows, readGains(), deriveCircumstances(versions.n8n, record)) };
}
