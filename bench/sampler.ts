import { EventLog } from '../capacity/src/model/deployment.js';
/**
 * `npm run bench:sampler`: measures the CPU cost of observing. Runs the tool's sampler and recorder in this process, on stand-ins
 * for a deployment in queue mode (bench/sampler/deployment.ts), and measures the CPU time of this process. Prints the share of a
 * core and writes bench/results/sampler.json. Exits with 1 if it is above 2 %.
 */
import { formatPercent } from '../capacity/src/core/formats.js';
import type { Sample } from '../capacity/src/model/sample.js';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessUsage } from '../capacity/src/observe/proc.js';
import { Sampler } from '../capacity/src/observe/sampler.js';
import { Recorder } from '../capacity/src/record/recorder.js';
import { terminalProgress } from '../capacity/src/core/progress.js';
import { ensureRedis } from '../capacity/src/tools/system.js';
import { StandIn } from './sampler/deployment.js';
import { root } from './page.js';

/** Share of a core that the sampler may use. */
const MAX_CPU_SHARE = 0.02;
/** Seconds until connections are open and the code that runs every second is compiled. */
const WARMUP_SECONDS = 15;
const SECONDS = 30;
/** Metrics page of a webhook processor of n8n 2.41.1 under load, in queue mode with PostgreSQL and the chart's settings. */
const page = join(root, 'bench/sampler/n8n-metrics.txt');

// The built module, because it looks for its recipe beside itself.
const { ensurePostgres } = (await import(
  join(root, 'capacity/dist/tools/postgres.js')
)) as typeof import('../capacity/src/tools/postgres.js');
const progress = terminalProgress();
const tools = { redis: await ensureRedis(progress), postgres: await ensurePostgres(progress) };
const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-samples-'));
const standIn = new StandIn();
try {
  report(await measureSampler());
} finally {
  standIn.stop();
  rmSync(folder, { recursive: true });
}
// Exits explicitly: connections to the stopped PostgreSQL are still open.
process.exit();

/** Measures the CPU seconds per second of this process, and collects the samples. */
async function measureSampler(): Promise<{ share: number; samples: Sample[] }> {
  const sources = await standIn.start(page, join(root, 'capacity/dist/bench/bench/sampler/server.js'), tools);
  const recorder = await Recorder.create(folder);
  const samples: Sample[] = [];
  const sampler = new Sampler(
    sources,
    new EventLog(),
    { workflowIds: new Set(['1001']), asynchronousIds: new Set() },
    (sample) => {
      samples.push(sample);
      void recorder.sample(sample);
    },
  );
  const usage = () => readProcessUsage(standIn.server);
  sampler.watchGenerator({ usage, finished: new Promise(() => {}), kill: () => {} });
  sampler.start();
  await sleep(WARMUP_SECONDS * 1000);
  samples.length = 0;
  const [before, from] = [process.cpuUsage(), performance.now()];
  await sleep(SECONDS * 1000);
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1000 / (performance.now() - from);
  await sampler.stop();
  return { share, samples };
}

function report({ share, samples }: Awaited<ReturnType<typeof measureSampler>>): void {
  const isComplete = ({ executions, queue, database, generator, instances }: Sample) =>
    executions && queue && database && generator && instances.every(({ processes }) => processes > 0);
  if (samples.length < SECONDS - 2) throw new Error(`the sampler looked ${samples.length} times in ${SECONDS} s`);
  const incomplete = samples.find((sample) => !isComplete(sample));
  if (incomplete) throw new Error(`the sampler did not see everything: ${JSON.stringify(incomplete)}`);
  const { instances } = samples[0]!;
  const observed = {
    seconds: SECONDS,
    samples: samples.length,
    instances: instances.length,
    processes: instances.reduce((sum, { processes }) => sum + processes, 0),
    processesOfMachine: readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length,
    metricsBytes: statSync(page).size,
  };
  const met = share <= MAX_CPU_SHARE;
  const record = join(root, 'bench/results/sampler.json');
  mkdirSync(dirname(record), { recursive: true });
  writeFileSync(record, `${JSON.stringify({ most: MAX_CPU_SHARE, ...observed, share, met }, null, 2)}\n`);
  const what = `${observed.instances} instances of ${observed.processes} processes, among ${observed.processesOfMachine}`;
  console.log(
    `${what}, ${observed.samples} looks in ${SECONDS} s: ${formatPercent(share)} of a core, at most ${formatPercent(MAX_CPU_SHARE)}`,
  );
  console.log(`The target for the sampler's cost is ${met ? 'met' : 'MISSED'}. Record: bench/results/sampler.json`);
  process.exitCode = met ? 0 : 1;
}
