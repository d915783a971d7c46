import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { repository } from '../../core/paths.js';
import { circumstancesSchema } from './circumstances.js';

const Measured = z.object({
  /** Of the workflow, in bench/check/examples.ts. */
  name: z.string(),
  /** Executions per second of ten clients that each wait for their answer; the median of the runs. */
  perSecond: z.number().positive(),
  runs: z.array(z.number()),
});

const Gain = z.object({ rule: z.string(), before: Measured, after: Measured });
export type Gain = z.infer<typeof Gain>;

const Held = z.object({
  /** Of the workflow, in bench/check/memory.ts. */
  name: z.string(),
  /** Most memory that n8n used while its executions came at the rate of the example, in MiB; the median of the runs. */
  mib: z.number().positive(),
  runs: z.array(z.number()),
});

const MemoryGain = z.object({
  rule: z.string(),
  /** Executions in n8n at a time. */
  held: z.number().positive(),
  before: Held,
  after: Held,
});
export type MemoryGain = z.infer<typeof MemoryGain>;

/** What the choices cost on examples, as `npm run bench:check` measured it. */
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

export const GAINS_FILE = join(repository, 'bench', 'results', 'check.json');

/** The record of gains. */
export const readGains = (file = GAINS_FILE): Gains => Gains.parse(JSON.parse(readFileSync(file, 'utf8')));

/** MiB that a choice costs for each execution in n8n at a time; 0 where its runs did not all take more than those without it. */
export const memoryCost = ({ held, before, after }: MemoryGain): number =>
  Math.min(...before.runs) > Math.max(...after.runs) ? (before.mib - after.mib) / held : 0;

/** The share of the executions per second that a choice costs, 0 to 1; 0 where its runs were not all slower than those without it. */
export const shareLost = ({ before, after }: Gain): number =>
  Math.max(...before.runs) < Math.min(...after.runs) ? 1 - before.perSecond / after.perSecond : 0;
