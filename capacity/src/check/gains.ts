import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { repository } from '../core/paths.js';
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

/** What the choices cost on examples, as `npm run bench:check` measured it. */
const Gains = z.object({
  cpus: z.number(),
  cpuModel: z.string(),
  versions: z.object({ k6: z.string() }),
  /** The deployment in which all were measured: the chart's defaults. */
  where: circumstancesSchema,
  gains: z.array(Gain),
});
export type Gains = z.infer<typeof Gains>;

export const GAINS_FILE = join(repository, 'bench', 'results', 'check.json');

/** The record of gains. */
export const readGains = (file = GAINS_FILE): Gains => Gains.parse(JSON.parse(readFileSync(file, 'utf8')));

/** The share of the executions per second that a choice costs, 0 to 1; 0 where its runs were not all slower than those without it. */
export const shareLost = ({ before, after }: Gain): number =>
  Math.max(...before.runs) < Math.min(...after.runs) ? 1 - before.perSecond / after.perSecond : 0;
