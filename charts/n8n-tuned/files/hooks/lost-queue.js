'use strict';
/*
 * Finds executions whose jobs Redis has lost.
 *
 * The job of an execution that waits for a worker is in Redis alone. If Redis comes back without its data, no worker runs such an
 * execution, and n8n calls it new until its own search, up to `executions.recovery.intervalMinutes` later (read: 2.41.1,
 * ScalingService; run: docs/faults.md). So main keeps a key of its own in Redis. If the key is gone after a reconnection, main marks
 * executions as crashed that are new, began before the reconnection, and have no job. n8n's search does the same, and a retry starts
 * them again. Executions that run go on: their worker needs no job to end them.
 */
const { setTimeout: sleep } = require('node:timers/promises');
const { containerOf, n8nModules } = require('./modules.js');

/** States of Bull in which a job may still be run. */
const MAY_RUN = ['active', 'waiting', 'delayed', 'paused'];
/** Milliseconds in which every process has sent what it could not while Redis was away. n8n gives up after 10 s. */
const SETTLED_AFTER = 30_000;

/** n8n's `ready` hook of main. */
function findLostQueue() {
  if (process.env.EXECUTIONS_MODE !== 'queue') return;
  const { require: requireOfN8n } = n8nModules() ?? {};
  try {
    const container = containerOf(requireOfN8n);
    const instance = container.get(requireOfN8n('n8n-core').InstanceSettings);
    if (instance.instanceType !== 'main') return;
    const { In, LessThan } = requireOfN8n('@n8n/typeorm');
    const service = container.get(requireOfN8n('./scaling/scaling.service').ScalingService);
    watch(service, { isLeader: () => instance.isLeader, isNewBefore: isNewBefore({ In, LessThan }) });
  } catch (error) {
    console.warn(
      `n8n-tuned: what waits in a Redis that loses its data is found after hours: this n8n has its parts elsewhere: ${error.message}`,
    );
  }
}

/** The condition of a query: new, and made before a time, in milliseconds; with `ids`, only these. */
const isNewBefore =
  ({ In, LessThan }) =>
  (time, ids) => ({ status: 'new', createdAt: LessThan(new Date(time)), ...(ids && { id: In(ids) }) });

const HERE = { pause: sleep, now: Date.now, warn: console.warn };

/**
 * Looks for its key at each reconnection of n8n's queue.
 * @param service n8n's ScalingService
 * @throws TypeError if the service has other parts
 */
function watch(service, { isLeader, isNewBefore }, { pause, now, warn } = HERE) {
  const queue = service.defaultQueue ?? service.queue;
  const crash = service.executionCrashService ?? service.executionRepository;
  if (typeof service.findJobsByStatus !== 'function' || typeof crash?.markAsCrashed !== 'function')
    throw new TypeError('there is no findJobsByStatus or markAsCrashed');
  const { client } = queue;
  const key = queue.toKey('n8n-tuned:seen');
  const set = () => client.set(key, '1');
  const failed = (error) => warn(`n8n-tuned: whether Redis lost its data is not known: ${error.message}`);

  const look = async () => {
    // A main that follows leaves the key to the leader, which may be connected later.
    if (!isLeader()) return;
    const lostAt = now();
    if ((await client.exists(key)) > 0) return;
    await set();
    await pause(SETTLED_AFTER);
    const lost = await withoutJob(service, (ids) => isNewBefore(lostAt, ids));
    if (lost.length > 0) await crash.markAsCrashed(lost);
    warn(`n8n-tuned: Redis lost its data; ${lost.length} executions had no job any more and are marked as crashed`);
  };
  client.on('ready', () => void look().catch(failed));
  return set().catch(failed);
}

/** Ids of executions that meet a condition, before and after the queue was read, and have no job. */
async function withoutJob(service, where) {
  const { executionRepository, queueRecoveryContext } = service;
  const query = { select: ['id'], order: { id: 'DESC' }, take: queueRecoveryContext?.batchSize ?? 100 };
  const found = await executionRepository.find({ ...query, where: where() });
  const jobs = await service.findJobsByStatus(MAY_RUN);
  const queued = new Set(jobs.map(({ data }) => String(data.executionId)));
  const ids = found.map(({ id }) => String(id)).filter((id) => !queued.has(id));
  if (ids.length === 0) return [];
  // One whose job a worker took meanwhile is no longer new.
  const still = await executionRepository.find({ ...query, where: where(ids) });
  return still.map(({ id }) => String(id));
}

module.exports = { findLostQueue, watch };
