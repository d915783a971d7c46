import { lt } from 'semver';
import { NotReady } from '../core/errors.js';
import type { Progress } from '../core/progress.js';
import type { Access, RowCounter } from '../model/deployment.js';
import type { LoadPlan, Plan, Values } from '../model/plan.js';
import type { Survival } from '../model/upgrade.js';
import { findWorkload } from '../plan/workloads.js';
import type { Where } from '../provision/choose.js';
import { SEEDABLE_SINCE } from '../provision/seed/refuse.js';
import { seed } from '../run/measure.js';

/** Requests to n8n before the upgrade: executions that it has written itself. */
const REQUESTS = 20;
const REQUEST_MS = 30_000;

/** An upgrade on the same database. */
export interface Surviving {
  /** The values of the old version, and those of the new one. */
  plan: Plan;
  to: Values;
  /** Executions to put into the database. */
  executions: number;
  /** Folder for logs. */
  logs: string;
  where: Where;
  progress: Progress;
}

/**
 * Upgrades a deployment that holds executions: n8n is replaced on its database, as `helm upgrade` does. Leaves nothing
 * running.
 * @throws Interrupted when the user ended it
 */
export async function survive({ plan, to, executions, logs, where, progress }: Surviving): Promise<Survival> {
  const prepared = await where.provisioner.prepare(plan, progress);
  const deployment = await prepared.deploy(logs);
  try {
    const { upgrade, sources, access } = deployment;
    if (!upgrade || !sources.countRows) return { skipped: `an upgrade in place is not tried on ${where.name}` };
    if (executions > 0 && !lt(prepared.versions.n8n, SEEDABLE_SINCE))
      await seed({ plan: { ...plan, seedExecutions: executions }, progress }, deployment);
    await request(access, plan.loads[0]!);
    const before = await counted(sources.countRows);
    const { seconds } = await upgrade(to);
    await request(access, plan.loads[0]!, 1);
    return { before, after: await counted(sources.countRows), seconds };
  } catch (error) {
    progress.signal.throwIfAborted();
    if (error instanceof NotReady) return { failed: `${error.instance} ${error.reason}` };
    throw error;
  } finally {
    await deployment.teardown();
  }
}

/** Sends requests to a bundled workload, one after the other; a workflow of the user is not called without its load. */
async function request({ endpoints, token }: Access, { custom, parts }: LoadPlan, requests = REQUESTS): Promise<void> {
  if (custom) return;
  const { path } = findWorkload(parts[0]!.workload);
  for (let i = 0; i < requests; i++)
    await fetch(`${endpoints[0]}${path}`, {
      headers: { 'x-load-target-token': token },
      signal: AbortSignal.timeout(REQUEST_MS),
    }).then((response) => response.arrayBuffer());
}

const counted = async (count: RowCounter): Promise<Record<string, number>> => ({ ...(await count()) });
