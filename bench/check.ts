/**
 * `npm run bench:check`: what the choices cost that `n8n-capacity check` finds. Measures each workflow of
 * bench/check/examples.ts with `n8n-capacity validate`, by clients that each wait for their answer, all of them in turn and
 * as often as RUNS says; writes bench/results/check.json and renders it into docs/check.md. Takes about 30 minutes on a
 * machine on which nothing else runs. `-- --render` only renders the record.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { median } from 'simple-statistics';
import { circumstancesOf } from '../capacity/src/check/circumstances.js';
import { GAINS_FILE, readGains, type Gains } from '../capacity/src/check/gains.js';
import { repository } from '../capacity/src/core/paths.js';
import { answeredRate } from '../capacity/src/judge/sustained.js';
import { readRun } from '../capacity/src/record/recorder.js';
import { withChecks } from './check/document.js';
import { CHILD, EXAMPLES, WORKFLOWS } from './check/examples.js';

const RUNS = 3;
const CLOSED = [
  ...['--clients', '10', '--warmup', '5s', '--step-duration', '20s', '--no-overload'],
  ...['--slo', 'p95=100s,errors=1%'],
];

// Compiled below capacity/dist, where `repository` is not what it is in capacity/src.
const root = join(repository, '..', '..', '..');
const file = join(root, GAINS_FILE.slice(repository.length));
const page = join(root, 'docs/check.md');

if (!process.argv.includes('--render')) writeFileSync(file, `${JSON.stringify(await measureAll(), null, 2)}\n`);
const { format, resolveConfig } = await import('prettier');
const options = { ...(await resolveConfig(page)), parser: 'markdown' };
writeFileSync(page, await format(withChecks(readFileSync(page, 'utf8'), readGains(file)), options));

async function measureAll(): Promise<Gains> {
  const rates = new Map<string, number[]>();
  let last: Pick<Gains, 'versions' | 'where'> | undefined;
  for (let run = 1; run <= RUNS; run++)
    for (const name of Object.keys(WORKFLOWS)) {
      console.log(`\nrun ${run} of ${RUNS}: ${name}`);
      const measured = await measure(name);
      rates.set(name, [...(rates.get(name) ?? []), measured.perSecond]);
      last = measured;
    }
  const of = (name: string) => ({ name, perSecond: median(rates.get(name)!), runs: rates.get(name)! });
  const gains = EXAMPLES.map(({ rule, before, after }) => ({ rule, before: of(before), after: of(after) }));
  return {
    cpus: cpus().length,
    cpuModel: cpus()[0]?.model ?? 'unknown',
    versions: last!.versions,
    where: last!.where,
    gains,
  };
}

/** Executions per second that ten clients get through. Throws when it could not be measured. */
async function measure(name: string): Promise<{ perSecond: number } & Pick<Gains, 'versions' | 'where'>> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-check-'));
  try {
    const [workflow, child, output] = ['workflow.json', 'child.json', 'run'].map((part) => join(folder, part));
    writeFileSync(workflow!, JSON.stringify({ id: 'check0example', name, ...WORKFLOWS[name] }));
    writeFileSync(child!, JSON.stringify(CHILD));
    const subWorkflow = name.startsWith('sub-workflow') ? ['--sub-workflow', child!] : [];
    const command = ['validate', '--workflow', workflow!, ...subWorkflow, ...CLOSED, '-o', output!];
    const bin = join(root, 'capacity/bin/n8n-capacity.js');
    const { exitCode } = await execa(process.execPath, [bin, ...command], { stdio: 'inherit', reject: false });
    // 0 to 2 are verdicts.
    if (exitCode === undefined || exitCode > 2) throw new Error(`${name}: n8n-capacity ended with ${exitCode}`);
    const { steps, run } = await readRun(output!);
    const { n8n, k6 } = run.versions;
    return { perSecond: answeredRate(steps[0]!), versions: { k6 }, where: circumstancesOf(n8n, run.deployment) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
