import { join } from 'node:path';
import { knownExposure } from '../../chart/exposure-text.js';
import { judgeFaults } from './judge/judge.js';
import type { FaultsConclusion } from './record.js';
import { writeWhole } from '../../record/files.js';
import { FaultsFolder } from './folder.js';
import { FILES } from '../../record/names.js';

/**
 * Judges a recorded run of `faults`, complete or interrupted, and writes its verdict. Reads only records.
 * @throws UsageError if the folder holds none
 */
export async function concludeFaults(path: string): Promise<FaultsConclusion> {
  const folder = new FaultsFolder(path);
  const [record, trials] = [await folder.record(), await folder.trials()];
  const { rate, workSeconds } = record;
  const { askedWhy } = record.deployment;
  const exposure = knownExposure(record);
  const conclusion = {
    ...judgeFaults(record, trials),
    ...(exposure && { exposure }),
    ...(askedWhy !== undefined && { askedWhy }),
    rate,
    workSeconds,
    folder: path,
  };
  await writeWhole(join(path, FILES.verdict), `${JSON.stringify(conclusion, null, 2)}\n`);
  return conclusion;
}
