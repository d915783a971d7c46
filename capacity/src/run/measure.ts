import { readFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Noise } from '../judge/noise.js';
import type { Generator } from '../load/generator.js';
import { Sampler, type Sample } from '../observe/sampler.js';
import { workflowsFolder } from '../core/paths.js';
import type { LoadPlan, Plan } from '../model/plan.js';
import type { Deployment, Prepared } from '../model/deployment.js';
import type { Recorder } from '../record/recorder.js';
import { redacted } from '../plan/redact.js';
import type { RunRecord, StepRecord } from '../model/record.js';
import type { Progress } from '../core/progress.js';
import type { StepContext } from './context.js';
import { driveLoad, isBroken } from './load.js';
import { NotRecovered } from './settle.js';

/** What a measurement needs. */
export interface Measurement {
  /** The command, for the record. */
  tool: string;
  plan: Plan;
  prepared: Prepared;
  /** What drives it, where the deployment does not bring it. */
  generator?: Generator;
  recorder: Recorder;
  /** Steps that are recorded already, of a run that was interrupted: they are not run again. */
  recorded?: StepRecord[];
  /** What was measured of it on this machine before, for the record. */
  noise?: Noise;
  progress: Progress;
}

/**
 * Deploys a configuration, drives it step by step and records everything. Nothing is left running, whatever happens; what
 * was recorded stays.
 * @throws InputError when it does not come up, Interrupted when the user ended it
 */
export async function measure(measurement: Measurement): Promise<void> {
  const { prepared, recorder, recorded = [] } = measurement;
  const deployment = await prepared.deploy(join(recorder.folder, 'logs'));
  try {
    const generator = deployment.generator ?? measurement.generator;
    if (!generator) throw new Error('neither the deployment nor the measurement has a generator');
    const whole = { ...measurement, deployment, generator };
    if (recorded.length === 0) await recorder.run(runRecord(whole));
    await drive(whole, recorded);
  } finally {
    await deployment.teardown();
    for (const event of deployment.events) await recorder.event(event);
  }
}

async function drive(base: Omit<StepContext, 'sampler' | 'samples'>, recorded: StepRecord[]): Promise<void> {
  const samples: Sample[] = [];
  let written: Promise<void> = Promise.resolve();
  const ids = base.deployment.workflowIds ?? new Set((await Promise.all(base.plan.loads.map(workflowIds))).flat());
  const sampler = new Sampler(base.deployment, ids, (sample) => {
    samples.push(sample);
    written = written.then(() => base.recorder.sample(sample));
    written.catch(() => {}); // awaited at the end
  });
  sampler.start();
  try {
    const context = { ...base, sampler, samples };
    const steps: StepRecord[] = [];
    for (const load of base.plan.loads) {
      steps.push(...(await driveLoad(context, load, steps, recorded)));
      if (base.plan.guard && steps.some((step) => isBroken(step, base.plan))) break;
    }
  } catch (error) {
    if (!(error instanceof NotRecovered)) throw error;
    base.progress.line(`  ended early: ${error.message}`);
  } finally {
    await sampler.stop();
  }
  await written;
}

/** Of the workflows whose executions are counted: those that the load's requests start. */
async function workflowIds({ own, parts }: LoadPlan): Promise<string[]> {
  return own ? [own.id] : Promise.all(parts.map((part) => bundledId(part.workload)));
}

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
}: Measurement & { deployment: Deployment; generator: Generator }): RunRecord {
  return {
    tool,
    startedAt: new Date().toISOString(),
    plan: { ...plan, values: { ...plan.values, set: plan.values.set.map(redacted) } },
    versions: { ...prepared.versions, ...(deployment.node && { node: deployment.node }), k6: generator.version },
    machine: {
      cpus: availableParallelism(),
      memoryBytes: totalmem(),
      platform: `${process.platform} ${process.arch}`,
      ...(generator.limit !== undefined && { generatorLimit: generator.limit }),
      ...(noise && { noise }),
    },
    deployment: deployment.record,
  };
}
