/**
 * `npm run bench:check`: measures the cost of each choice that `n8n-capacity check` finds. Drives the workflows of
 * bench/check/examples.ts with `n8n-capacity validate` in a closed loop. Measures the memory of the workflows of
 * bench/check/memory.ts under arrivals. All are measured in turn, RUNS times. Writes bench/results/check.json and renders it into
 * docs/check.md. Takes about 50 minutes on an otherwise idle machine. `-- --memory` measures only the memory and `-- --rates` only
 * the rates, and keeps the rest of the record; `-- --render` only renders the record. A disturbed run is measured again.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { median } from 'simple-statistics';
import { deriveCircumstances } from '../capacity/src/workflow/check/circumstances.js';
import { GAINS_FILE, readGains, type Gains } from '../capacity/src/workflow/check/gains.js';
import { repositoryFolder } from '../capacity/src/core/paths.js';
import { trialFigures } from '../capacity/src/features/trial/figures.js';
import { readRun, type RecordedRun } from '../capacity/src/record/recorder.js';
import { withChecks } from './check/document.js';
import { CHILD, EXAMPLES, WORKFLOWS, type Chain } from './check/examples.js';
import { MEMORY_EXAMPLES, MEMORY_WORKFLOWS } from './check/memory.js';
import { renderPage, root } from './page.js';

const RUNS = 3;
/** Attempts to measure a run without disturbance. */
const TRIES = 4;
const COMMON_FLAGS = ['--step-duration', '20s', '--no-overload', '--slo', 'p95=100s,errors=1%'];
const CLOSED_LOOP_FLAGS = ['--clients', '10', '--warmup', '5s'];

const file = join(root, GAINS_FILE.slice(repositoryFolder.length));

const writeGains = (gains: Gains) => writeFileSync(file, `${JSON.stringify(gains, null, 2)}\n`);
if (process.argv.includes('--memory')) writeGains({ ...readGains(file), memory: await measureMemory() });
else if (process.argv.includes('--rates')) writeGains({ ...(await measureRates()), memory: readGains(file).memory });
else if (!process.argv.includes('--render')) writeGains({ ...(await measureRates()), memory: await measureMemory() });
await renderPage('docs/check.md', (page) => withChecks(page, readGains(file)));

async function measureRates(): Promise<Omit<Gains, 'memory'>> {
  const runs = await measureInTurns(WORKFLOWS, (name, workflow) => measureWorkflow(name, workflow, CLOSED_LOOP_FLAGS));
  const of = (name: string) => {
    const rates = runs.get(name)!.map((run) => requireFigure(name, run, 'perSecond'));
    return { name, perSecond: median(rates), runs: rates };
  };
  const gains = EXAMPLES.map(({ rule, before, after }) => ({ rule, before: of(before), after: of(after) }));
  const { run } = [...runs.values()].at(-1)!.at(-1)!;
  const { n8n, k6 } = run.versions;
  return {
    cpus: cpus().length,
    cpuModel: cpus()[0]?.model ?? 'unknown',
    versions: { k6 },
    where: deriveCircumstances(n8n, run.deployment),
    gains,
  };
}

async function measureMemory(): Promise<Gains['memory']> {
  const runs = await measureInTurns(MEMORY_WORKFLOWS, (name, { workflow, flags }) =>
    measureWorkflow(name, workflow, flags),
  );
  const of = (name: string) => {
    const peaks = runs.get(name)!.map((run) => Math.round(requireFigure(name, run, 'memoryBytes') / 2 ** 20));
    return { name, mib: median(peaks), runs: peaks };
  };
  return MEMORY_EXAMPLES.map(({ rule, held, before, after }) => ({ rule, held, before: of(before), after: of(after) }));
}

/** Measures all workflows in turn, RUNS times. */
async function measureInTurns<T>(
  all: Record<string, T>,
  measureOne: (name: string, one: T) => Promise<RecordedRun>,
): Promise<Map<string, RecordedRun[]>> {
  const measured = new Map<string, RecordedRun[]>();
  for (let run = 1; run <= RUNS; run++)
    for (const [name, one] of Object.entries(all)) {
      console.log(`\nrun ${run} of ${RUNS}: ${name}`);
      measured.set(name, [...(measured.get(name) ?? []), await measureUndisturbed(name, () => measureOne(name, one))]);
    }
  return measured;
}

async function measureUndisturbed(name: string, measureOne: () => Promise<RecordedRun>): Promise<RecordedRun> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const run = await measureOne();
    const { disturbed } = trialFigures(run);
    if (disturbed === undefined) return run;
    console.log(`measured again: ${disturbed}`);
  }
  throw new Error(`${name}: disturbed ${TRIES} times`);
}

/**
 * A figure of a run.
 * @throws Error when the run does not have it
 */
function requireFigure(name: string, run: RecordedRun, which: 'perSecond' | 'memoryBytes'): number {
  const figures = trialFigures(run);
  const figure = figures[which];
  if (figure === undefined) throw new Error(`${name}: ${figures.failed ?? `no ${which}`}`);
  return figure;
}

/**
 * Measures a workflow with `n8n-capacity validate`.
 * @throws Error when it could not be measured
 */
async function measureWorkflow(name: string, workflow: Chain, flags: string[]): Promise<RecordedRun> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-check-'));
  try {
    const [given, child, output] = ['workflow.json', 'child.json', 'run'].map((part) => join(folder, part));
    writeFileSync(given!, JSON.stringify({ id: 'check0example', name, ...workflow }));
    writeFileSync(child!, JSON.stringify(CHILD));
    const subWorkflow = name.startsWith('sub-workflow') ? ['--sub-workflow', child!] : [];
    const command = ['validate', '--workflow', given!, ...subWorkflow, ...flags, ...COMMON_FLAGS, '-o', output!];
    const bin = join(root, 'capacity/bin/n8n-capacity.js');
    const { exitCode } = await execa(process.execPath, [bin, ...command], { stdio: 'inherit', reject: false });
    // The exit codes 0 to 2 are verdicts.
    if (exitCode === undefined || exitCode > 2) throw new Error(`${name}: n8n-capacity ended with ${exitCode}`);
    return await readRun(output!);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
