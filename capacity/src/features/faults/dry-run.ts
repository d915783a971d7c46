import { formatRate } from '../../core/formats.js';
import type { Progress } from '../../core/progress.js';
import { sum } from 'simple-statistics';
import { touchesOf } from '../../provision/touches.js';
import type { DryPlan } from '../../run/dry-run.js';
import { CATALOGUE } from './catalogue.js';
import { estimateCapacity, faultsFor, sentRate, type FaultsRequest } from './plan.js';
import { prepareFaults, estimateSeconds } from './run.js';

/** Which faults would be tried. Throws what `faults` throws before it starts. */
export async function dryRunFaults(request: FaultsRequest, progress: Progress): Promise<DryPlan> {
  const prepared = await prepareFaults(request, progress);
  const capacity = estimateCapacity(request, prepared.record);
  const faults = faultsFor(request, prepared.record);
  return {
    n8n: [prepared.versions.n8n],
    items: faults.map((name) => ({ name, text: CATALOGUE[name].title })),
    driven: `${formatRate(sentRate(capacity))} of executions that work ${request.workSeconds} s, in a fresh deployment for each fault`,
    seconds: sum(faults.map((name) => estimateSeconds(name, { capacity }, request, prepared))),
    touches: touchesOf(request.provisioner),
  };
}
