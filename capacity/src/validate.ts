import { availableParallelism, totalmem } from 'node:os';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { InputError, messageOf } from './errors.js';
import { chartAccepts, conclude, recordGivenValues, type Conclusion } from './conclude.js';
import { asTried } from './judge/run.js';
import { judgeStep } from './judge/step.js';
import { nextRate, type Tried } from './judge/search.js';
import { Sampler, type Sample } from './observe/sampler.js';
import { chartFolder, workflowsFolder } from './paths.js';
import type { LoadPlan, Plan } from './plan/plan.js';
import { findWorkload } from './plan/workloads.js';
import type { Deployment } from './provision/deployment.js';
import { provisionProcesses, n8nVersion } from './provision/process/index.js';
import type { KubernetesObject } from './provision/process/kubernetes.js';
import { renderChart } from './provision/process/render.js';
import { describeDeployment } from './provision/process/describe.js';
import { Recorder } from './record/recorder.js';
import { redacted } from './record/redact.js';
import type { RunRecord, StepRecord } from './record/types.js';
import type { Progress } from './report/progress.js';
import { stepLine } from './report/terminal.js';
import type { StepContext } from './steps/context.js';
import { NotRecovered } from './steps/settle.js';
import { runStep } from './steps/step.js';
import { versionOf } from './tools/binary.js';
import { ensureHelm, ensureK6 } from './tools/go-tools.js';

/** Values that a measurement needs beside the user's: executions are counted from n8n's own metrics. */
const MEASURING_VALUES = ['metrics.enabled=true'];

/**
 * Deploys the rendered chart, drives it step by step, records everything and judges it.
 * Nothing is left running, whatever happens; what was recorded stays.
 * @throws InputError before anything is started when the plan cannot be carried out, Interrupted when the user ended it
 */
export async function validate(plan: Plan, folder: string, progress: Progress): Promise<Conclusion> {
  const [k6, helm] = [await ensureK6(progress), await ensureHelm(progress)];
  const objects = await renderChart(helm, plan.values, MEASURING_VALUES);
  if (plan.port !== undefined) await requireFreePort(plan.port);
  const recorder = await Recorder.create(folder);
  const deployment = await provisionProcesses({
    objects,
    workflows: [...new Set(plan.loads.flatMap((l) => l.parts.map((p) => p.workload)))],
    webhook: findWorkload(plan.loads[0]!.parts[0]!.workload).path,
    logs: join(folder, 'logs'),
    ...(plan.port !== undefined && { port: plan.port }),
    progress,
  });
  try {
    await recorder.run(await runRecord(plan, objects, deployment, k6, helm));
    await recordGivenValues(recorder, helm, plan.values);
    await drive({ plan, k6, deployment, recorder, progress });
  } finally {
    await deployment.teardown();
    for (const event of deployment.events) await recorder.event(event);
  }
  const conclusion = await conclude(folder);
  const refused = conclusion.values && (await chartAccepts(helm, conclusion.values));
  if (refused) throw new Error(`the chart refuses the recommended values in ${conclusion.values}: ${refused}`);
  return conclusion;
}

async function drive(base: Omit<StepContext, 'sampler' | 'samples'>): Promise<void> {
  const samples: Sample[] = [];
  let written: Promise<void> = Promise.resolve();
  const ids = new Set(await Promise.all(base.plan.loads.flatMap((l) => l.parts.map((p) => workflowId(p.workload)))));
  const sampler = new Sampler(base.deployment, ids, (sample) => {
    samples.push(sample);
    written = written.then(() => base.recorder.sample(sample));
    written.catch(() => {}); // awaited at the end
  });
  sampler.start();
  try {
    const context = { ...base, sampler, samples };
    const steps: StepRecord[] = [];
    for (const load of base.plan.loads) steps.push(...(await driveLoad(context, load, steps)));
  } catch (error) {
    if (!(error instanceof NotRecovered)) throw error;
    base.progress.line(`  ended early: ${error.message}`);
  } finally {
    await sampler.stop();
  }
  await written.catch((error: unknown) => {
    throw new InputError(`the samples could not be recorded: ${messageOf(error)}`);
  });
}

/** The steps of one load, chosen as the plan says. */
async function driveLoad(context: StepContext, load: LoadPlan, earlier: StepRecord[]): Promise<StepRecord[]> {
  const { plan, progress } = context;
  const steps: StepRecord[] = [];
  const take = async (at: { rate: number } | { clients: number }) => {
    const label = `${load.name} at ${'rate' in at ? `${Number(at.rate.toPrecision(3))}/s` : `${at.clients} clients`}`;
    const step = await progress.during(label, () => runStep(context, load, at, earlier.length + steps.length));
    steps.push(step);
    progress.line(stepLine(step, judgeStep(step, plan.slo)));
    return step;
  };
  const { rates } = plan;
  if (rates.kind === 'closed') await take({ clients: rates.clients });
  else if (rates.kind === 'target') await take({ rate: rates.rate * rates.headroom });
  else if (rates.kind === 'rates') for (const rate of rates.rates) await take({ rate });
  else {
    const config = { ...rates, start: informedStart(earlier, plan, rates.start) };
    const tried: Tried[] = [];
    let invalid = 0;
    for (let rate = nextRate(tried, config); rate !== undefined; rate = nextRate(tried, config)) {
      const step = await take({ rate });
      const outcome = asTried({ step, judged: judgeStep(step, plan.slo) });
      tried.push(...outcome);
      // What was not under test may fail once; then the same rate is tried again.
      if (outcome.length === 0 && ++invalid > MAX_INVALID) break;
    }
  }
  return steps;
}

/** INVALID steps of one search after which it ends. */
const MAX_INVALID = 1;

/** Half of what the load before took: closer to this one's capacity than any constant. */
function informedStart(earlier: StepRecord[], plan: Plan, start: number): number {
  const held = earlier.filter((s) => judgeStep(s, plan.slo).verdict === 'PASS').map((s) => s.rate ?? 0);
  return held.length === 0 ? start : Math.max(start, Number((Math.max(...held) / 2).toPrecision(2)));
}

async function workflowId(name: string): Promise<string> {
  return String((JSON.parse(await readFile(join(workflowsFolder, `${name}.json`), 'utf8')) as { id: string }).id);
}

async function runRecord(
  plan: Plan,
  objects: KubernetesObject[],
  deployment: Deployment,
  k6: string,
  helm: string,
): Promise<RunRecord> {
  const chart = parse(await readFile(join(chartFolder, 'Chart.yaml'), 'utf8')) as { version: string };
  const text = async (command: string, args: string[]) => (await versionOf(command, args))?.version ?? 'unknown';
  return {
    tool: 'n8n-capacity validate',
    startedAt: new Date().toISOString(),
    plan: { ...plan, values: { ...plan.values, set: plan.values.set.map(redacted) } },
    versions: {
      n8n: n8nVersion(objects),
      node: deployment.node,
      k6: await text(k6, ['version']),
      helm: await text(helm, ['version', '--short']),
      chart: chart.version,
    },
    machine: { cpus: availableParallelism(), memoryBytes: totalmem(), platform: `${process.platform} ${process.arch}` },
    deployment: describeDeployment(objects, deployment),
  };
}

function requireFreePort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new InputError(
          `--port ${port}: cannot be used (${error.code === 'EADDRINUSE' ? 'something listens there' : error.code}); give another one, or none to let a free one be found.`,
        ),
      ),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
}
