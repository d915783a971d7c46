import { rm } from 'node:fs/promises';
import { lt } from 'semver';
import { withDeadline } from '../../core/deadline.js';
import { messageOf, NotReady } from '../../core/errors.js';
import type { Progress } from '../../core/progress.js';
import type { Access, Deployment, Prepared } from '../../model/deployment.js';
import type { LoadPlan, Plan, Values } from '../../model/plan.js';
import type { Side, Survival } from './record.js';
import { findWorkload } from '../../plan/workloads.js';
import type { Where } from '../../provision/choose.js';
import { SEEDABLE_SINCE } from '../../provision/seed/refuse.js';
import { seed } from '../../run/measure.js';

/** Requests to n8n before the upgrade, so that some executions were written by n8n itself. */
const REQUESTS = 20;
const REQUEST_MS = 30_000;
/** Tries of the upgrade: a busy machine may be too slow once. */
const MAX_TRIES = 2;

/** An upgrade on the same database. */
export interface InPlaceUpgrade {
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
 * Upgrades a deployment that holds executions: n8n is stopped and replaced on its database. Tried again if it fails once.
 * Leaves nothing running.
 * @throws Interrupted when the user ended it
 */
export async function upgradeInPlace(surviving: InPlaceUpgrade): Promise<Survival> {
  const { plan, where, progress } = surviving;
  if (where.name !== 'process') return { skipped: `an upgrade in place is not tried on ${where.name}` };
  const prepared = await where.provisioner.prepare(plan, progress);
  if (lt(prepared.versions.n8n, SEEDABLE_SINCE))
    return { skipped: `an upgrade in place is tried from n8n ${SEEDABLE_SINCE} on` };
  let failedOnce: string | undefined;
  for (let left = MAX_TRIES - 1; ; left--) {
    await rm(surviving.logs, { recursive: true, force: true });
    const survival = await tryUpgradeOnce(prepared, surviving);
    if (survival.failed === undefined) return { ...survival, ...(failedOnce !== undefined && { failedOnce }) };
    if (left === 0) return survival;
    if (survival.side === 'to') failedOnce = survival.failed;
    progress.line(`  ${survival.failed}; tried again`);
  }
}

async function tryUpgradeOnce(
  prepared: Prepared,
  { plan, to, executions, logs, progress }: InPlaceUpgrade,
): Promise<Survival> {
  const [load] = plan.loads;
  let deployment: Deployment | undefined;
  let side: Side = 'from';
  try {
    deployment = await prepared.deploy(logs);
    const { upgrade, sources, access } = deployment;
    if (!upgrade || !sources.countRows) return { skipped: 'the rows of this database cannot be counted' };
    if (executions > 0) await seed({ plan: { ...plan, seedExecutions: executions }, progress }, deployment);
    await sendRequests(access, load!, REQUESTS, progress.signal);
    const before = { ...(await sources.countRows()) };
    side = 'to';
    const { seconds } = await upgrade(to);
    const after = { ...(await sources.countRows()) };
    await sendRequests(access, load!, 1, progress.signal);
    return { seeded: executions, before, after, seconds };
  } catch (error) {
    progress.signal.throwIfAborted();
    if (error instanceof NotReady) return { failed: `${error.instance} ${error.reason}`, side };
    if (error instanceof NoAnswer) return { failed: error.message, side };
    throw error;
  } finally {
    await deployment?.teardown();
  }
}

/** n8n gave no correct answer to a request. */
class NoAnswer extends Error {}

/**
 * Sends requests to a bundled workload, one after the other. Does nothing for a custom workflow, which is only called by its
 * load.
 * @throws NoAnswer
 */
async function sendRequests(
  { endpoints, token }: Access,
  { custom, parts }: LoadPlan,
  requests: number,
  signal: AbortSignal,
): Promise<void> {
  if (custom) return;
  const { path } = findWorkload(parts[0]!.workload);
  const headers = { 'x-load-target-token': token };
  for (let i = 0; i < requests; i++) {
    const ask = async (ended: AbortSignal) => {
      const response = await fetch(`${endpoints[0]}${path}`, { headers, signal: ended });
      await response.arrayBuffer();
      return response;
    };
    const response = await withDeadline(REQUEST_MS, ask, signal).catch((error: unknown) => {
      throw new NoAnswer(`${path}: no answer (${messageOf(error)})`);
    });
    if (!response.ok) throw new NoAnswer(`${path}: HTTP ${response.status}`);
  }
}
