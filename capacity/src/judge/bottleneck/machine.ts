import { formatPercent } from '../../core/formats.js';
import type { Sample } from '../../model/sample.js';
import type { StepRecord } from '../../model/step.js';
import { FULL_SHARE, machineUse, othersTookCores } from '../../observe/machine-use.js';
import type { Usage } from '../../observe/usage.js';
import type { LimitCandidate } from './limit.js';

/** The cores of the machine that runs the deployment and k6, with who used them. */
export function machineCandidates(
  { measuredFrom, measuredTo, k6 }: StepRecord,
  samples: Sample[],
  usage: ReadonlyMap<string, Usage>,
): LimitCandidate[] {
  const use = machineUse(samples, measuredFrom, measuredTo);
  if (!use) return [];
  const { cores, busyCores, otherCores } = use;
  const share = Math.min(1, busyCores / cores);
  const users: [string, number][] = [
    ...[...usage.values()].map(({ name, meanCores }): [string, number] => [name, meanCores]),
    ['k6', (k6.cpuShare ?? 0) * cores],
    ['other processes', otherCores],
  ];
  const most = users.filter(([, used]) => used >= LEAST_CORES).sort(([, a], [, b]) => b - a);
  const list = most.map(([name, used]) => `${name} ${used.toFixed(2)}`).join(', ');
  const evidence = `${formatPercent(share)} of the ${cores} cores of this machine were busy${list && `: ${list}`}`;
  return [{ limit: 'machine-cpu', evidence, share, reached: share >= FULL_SHARE, disturbed: othersTookCores(use) }];
}

/** Less is not worth a word. */
const LEAST_CORES = 0.05;
