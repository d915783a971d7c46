import type { SweepOutcome, SweepRecord } from '../../../capacity/src/model/sweep.js';
import type { StepRecord } from '../../../capacity/src/model/step.js';
import type { RunRecord } from '../../../capacity/src/model/run.js';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import { costOf } from '../../../capacity/src/judge/cost.js';
import { configurations } from '../../../capacity/src/plan/configurations.js';
import { settingsOf, valuesOf } from '../../../capacity/src/plan/dimensions.js';
import type { Plan } from '../../../capacity/src/model/plan.js';
import { goodStep, plan, regular } from '../records.js';

/** The 200 requests of a good step are enough to claim it. */
const SLO = { p95: 0.8, errors: 0.05 };

/** A run with these steps, and the values that it was given. */
export async function recordRun(
  path: string,
  rates: Plan['rates'],
  steps: StepRecord[],
  given?: object,
): Promise<string> {
  const run: Partial<RunRecord> = {
    tool: 'n8n-capacity validate',
    startedAt: '2026-11-20T12:00:00.000Z',
    plan: plan({ rates, slo: SLO, values: { files: given ? ['mine.yaml'] : [], set: [] } }),
    versions: { n8n: '2.41.1', k6: '2.2.0' },
    machine: { cpus: 2, memoryBytes: 2 ** 34, platform: 'linux x64' },
    deployment: regular(),
  };
  const samples = Array.from({ length: 11 }, (_, i) => ({
    at: 1_000_000 + i * 1000,
    instances: [{ name: 'main-0', rssBytes: 2 ** 30, cpuSeconds: 0.4 * i, processes: 2 }],
  }));
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'run.json'), JSON.stringify(run));
  await writeFile(join(path, 'steps.ndjson'), steps.map((s) => `${JSON.stringify(s)}\n`).join(''));
  await writeFile(join(path, 'samples.ndjson'), samples.map((s) => `${JSON.stringify(s)}\n`).join(''));
  if (given) await writeFile(join(path, 'values.given.yaml'), stringify(given));
  return path;
}

const PRICES = { cpuHour: 0.03, memoryGibHour: 0.004, currency: 'USD' };

/** What the configurations of `recordSweep` are made of. */
export const DIMENSIONS = { cpu: ['1', '2'], memory: ['2Gi', '4Gi'] };
const target = { kind: 'target', rate: 20, headroom: 1 } as const;

/** A configuration's id, what was done with it, whether that held, and at which rate (20/s). */
export type Shown = [string, SweepOutcome['purpose'], boolean, number?];

/** Configurations with 1 or 2 cores and 2 or 4 GiB; `runs` says what was shown of which. */
export async function recordSweep(path: string, runs: Shown[]): Promise<string> {
  await mkdir(join(path, 'configurations'), { recursive: true });
  const record: SweepRecord = {
    tool: 'n8n-capacity sweep',
    startedAt: '2026-11-20T12:00:00.000Z',
    plan: {
      name: basename(path),
      dimensions: DIMENSIONS,
      explore: 'front',
      soakSeconds: 60,
      prices: PRICES,
      measure: plan({ rates: target, slo: SLO }),
    },
    target: 20,
    candidates: configurations(DIMENSIONS).map((configuration) => {
      const [cpu, memory] = [Number(configuration.values.cpu), parseInt(String(configuration.values.memory))];
      const limits = { cpuMillis: cpu * 1000, memoryBytes: memory * 2 ** 30 };
      const instances = [{ name: 'main-0', component: 'main' as const, limits }];
      return { ...configuration, cost: costOf({ instances }, PRICES), amounts: { cpu, memory }, kind: '' };
    }),
    excluded: [],
  };
  const outcomes: SweepOutcome[] = [];
  for (const [id, purpose, holds, rate = 20] of runs) {
    const { values } = record.candidates.find((c) => c.id === id)!;
    const configuration = valuesOf(settingsOf(values, 'regular'));
    const latency = holds ? {} : { latency: { p50: 1, p95: 2, p99: 3, max: 4 } };
    await writeFile(join(path, 'configurations', `${id}.yaml`), stringify(configuration));
    await recordRun(
      join(path, purpose === 'soak' ? 'soaks' : 'runs', id),
      { ...target, rate },
      [goodStep({ rate, summary: latency })],
      { executions: { concurrencyLimit: 30 }, ...configuration },
    );
    const verdict = holds ? 'PASS' : 'FAIL';
    const capacity = holds ? rate : 0;
    outcomes.push({ id, purpose, verdict, capacity, conclusion: verdict, loadSeconds: 13, seconds: 30 });
  }
  await writeFile(join(path, 'sweep.json'), JSON.stringify(record));
  await writeFile(join(path, 'outcomes.ndjson'), outcomes.map((o) => `${JSON.stringify(o)}\n`).join(''));
  return path;
}
