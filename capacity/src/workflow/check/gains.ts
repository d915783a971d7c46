import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { repositoryFolder } from '../../core/paths.js';
import { circumstancesSchema } from './circumstances.js';

const Measured = z.object({
  /** Name of the workflow in bench/check/examples.ts. */
  name: z.string(),
  /** Executions per second with ten clients that each wait for their answer; the median of the runs. */
  perSecond: z.number().positive(),
  runs: z.array(z.number()),
});

const Gain = z.object({ rule: z.string(), before: Measured, after: Measured });
export type Gain = z.infer<typeof Gain>;

const Held = z.object({
  /** Name of the workflow in bench/check/memory.ts. */
  name: z.string(),
  /** MiB: n8n's peak memory at the arrival rate of the example; the median of the runs. */
  mib: z.number().positive(),
  runs: z.array(z.number()),
});

const MemoryGain = z.object({
  rule: z.string(),
  /** Concurrent executions. */
  held: z.number().positive(),
  before: Held,
  after: Held,
});
export type MemoryGain = z.infer<typeof MemoryGain>;

/** Costs of the choices on examples, measured by `npm run bench:check`. */
const Gains = z.object({
  cpus: z.number(),
  cpuModel: z.string(),
  versions: z.object({ k6: z.string() }),
  /** The deployment in which all were measured: the chart's defaults. */
  where: circumstancesSchema,
  gains: z.array(Gain),
  memory: z.array(MemoryGain),
});
export type Gains = z.infer<typeof Gains>;

export const GAINS_FILE = join(repositoryFolder, 'bench', 'results', 'check.json');

/** The record of gains. */
export const readGains = (file = GAINS_FILE): Gains => Gains.parse(JSON.parse(readFileSync(file, 'utf8')));

/** MiB that a choice costs for each concurrent execution; 0 unless all its runs took more than all runs without it. */
export const memoryCost = ({ held, before, after }: MemoryGain): number =>
  Math.min(...before.runs) > Math.max(...after.runs) ? (before.mib - after.mib) / held : 0;

/** The share of the executions per second that a choice costs, 0 to 1; 0 unless all its runs were slower than all runs without it. */
export const shareLost = ({ before, after }: Gain): number =>
  Math.max(...before.runs) < Math.min(...after.runs) ? 1 - before.perSecond / after.perSecond : 0;
