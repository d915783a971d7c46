import { UsageError } from '../core/errors.js';
import { z } from 'zod';
import type { MixPart } from '../model/plan.js';
import { yamlFile } from './values.js';
import { findWorkload, type Workload } from './workloads.js';

/** A mix file: workloads and their weights. */
const MixFile = z.record(z.string(), z.number().min(0.001).max(1000));

/** Reads a mix file. Throws UsageError that names the file and what is wrong in it. */
export function readMix(file: string, known: Map<string, Workload>): MixPart[] {
  const content = yamlFile(file, `--mix ${file}`, 'give the path of a mix file');
  const result = MixFile.safeParse(content);
  if (!result.success || Object.keys(result.data).length === 0) {
    const where = result.error?.issues[0]?.path.join('.');
    throw new UsageError(
      `--mix ${file}: ${where ? `"${where}" needs a weight from 0.001 to 1000` : 'is not a map of workloads to weights'}; write lines as in "webhook-ack: 3".`,
    );
  }
  return Object.entries(result.data).map(([workload, weight]) => ({
    workload: findWorkload(workload, known).name,
    weight,
  }));
}
