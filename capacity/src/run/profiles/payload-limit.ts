import {
  concludeCeiling,
  judgeTry,
  nextPayload,
  type CeilingTry,
  type PayloadRange,
} from '../../judge/profiles/payload-limit.js';
import type { LoadPlan, RatePlan } from '../../model/plan.js';
import type { DeploymentRecord, StepRecord } from '../../model/record.js';
import type { StepContext } from '../context.js';
import { runStep } from '../step.js';

/** Tries of one concurrency that say nothing, after which its search ends. */
const MAX_INVALID = 1;

/**
 * What the payloads of one concurrency may be: all clients together ask one process for no more than it may hold. What the
 * heaps of the processes that run executions cannot hold is not expected to survive.
 */
export function payloadRange(
  { least, most, rungs }: { least: number; most: number; rungs?: number[] },
  clients: number,
  { mode, instances }: DeploymentRecord,
): PayloadRange {
  const runners = instances.filter((i) => i.component === (mode === 'queue' ? 'worker' : 'main'));
  const heap = runners.reduce((sum, { heapMiB = Infinity }) => sum + heapMiB, 0);
  const largest = Math.max(least, Math.floor(most / clients));
  return {
    least,
    most: largest,
    expected: Math.min(largest, Math.max(least, Math.floor(heap / clients))),
    ...(rungs && { rungs }),
  };
}

/** The tries of a ceiling, one concurrency after the other; before each the deployment is ready again. */
export async function driveCeiling(
  context: StepContext,
  load: LoadPlan,
  rates: Extract<RatePlan, { kind: 'ceiling' }>,
): Promise<StepRecord[]> {
  const { progress, deployment } = context;
  const steps: StepRecord[] = [];
  for (const clients of rates.concurrency) {
    const range = payloadRange(rates, clients, deployment.record);
    const tries: CeilingTry[] = [];
    for (let mb = nextPayload(tries, range); mb !== undefined; mb = nextPayload(tries, range)) {
      const at = { clients, mb };
      const step = await progress.during(label(at), () => runStep(context, load, at, steps.length));
      steps.push(step);
      const tried = judgeTry(step);
      tries.push(tried);
      progress.line(`  ${tried.outcome}: ${tried.text}`);
      if (tries.filter((t) => t.outcome === 'invalid').length > MAX_INVALID) break;
    }
    progress.line(`${clients} at once: ${concludeCeiling(clients, tries, range, deployment.record).text}`);
  }
  return steps;
}

const label = ({ clients, mb }: { clients: number; mb: number }) => `${clients} × ${mb} MB at once`;
