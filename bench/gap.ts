/**
 * `npm run bench:gap`: explains the difference between n8n's published 220 executions per second and the sustained rate of a
 * deployment, one change at a time. Measures each step of bench/gap/steps.ts with `n8n-capacity validate`, writes
 * bench/results/gap.json and renders it into docs/throughput.md. Takes about 20 minutes on an otherwise idle machine. `-- --render`
 * only renders the record.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { judgeRun } from '../capacity/src/judge/run.js';
import { sustainedRate } from '../capacity/src/judge/sustained.js';
import { readRun } from '../capacity/src/record/recorder.js';
import { withGap, type GapRecord } from './gap/document.js';
import { stepFlags, STEPS, type GapStep } from './gap/steps.js';
import { renderPage, root } from './page.js';

const file = join(root, 'bench/results/gap.json');

if (!process.argv.includes('--render')) writeFileSync(file, `${JSON.stringify(await measureAll(), null, 2)}\n`);
const record = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as GapRecord) : undefined;
await renderPage('docs/throughput.md', (page) => withGap(page, record));

async function measureAll(): Promise<GapRecord> {
  const [cpu] = cpus();
  const rates: GapRecord['rates'] = {};
  let versions: GapRecord['versions'] = { n8n: '', k6: '' };
  for (const step of STEPS) {
    console.log(`\n${step.name}: ${step.what}`);
    const measured = await measureStep(step);
    rates[step.name] = measured.rate;
    versions = measured.versions;
  }
  return { cpus: cpus().length, cpuModel: cpu?.model ?? 'unknown', versions, rates };
}

/**
 * Measures the sustained rate of a step; null if the verdict has no figure.
 * @throws Error when the step could not be measured
 */
async function measureStep(step: GapStep): Promise<{ rate: number | null; versions: GapRecord['versions'] }> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-gap-'));
  try {
    const output = join(folder, 'run');
    const command = [join(root, 'capacity/bin/n8n-capacity.js'), 'validate', ...stepFlags(step), '-o', output];
    const { exitCode } = await execa(process.execPath, command, { stdio: 'inherit', reject: false });
    // The exit codes 0 to 2 are verdicts.
    if (exitCode === undefined || exitCode > 2) throw new Error(`${step.name}: n8n-capacity ended with ${exitCode}`);
    const records = await readRun(output);
    const { n8n, k6 } = records.run.versions;
    return { rate: sustainedRate(judgeRun(records).loads[0]!) || null, versions: { n8n, k6 } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
