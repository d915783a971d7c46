'use strict';
/*
 * Finds executions whose jobs Redis has lost.
 *
 * The job of an execution that waits for a worker is in Redis alone. If Redis comes back without its data, or with older data as
 * after a failover, no worker runs such an execution, and n8n calls it new until its own search, up to
 * `executions.recovery.intervalMinutes` later (read: 2.41.1, ScalingService; run: docs/faults.md). So after each reconnection main
 * marks executions as crashed that are new, began before it, and have no job. n8n's search does the same, and a retry starts them
 * again. Executions that run go on: their worker needs no job to end them.
 */
const { setTimeout: sleep } = require('node:timers/promises');
const { containerOf, requireN8nModules } = require('../../lib/n8n-modules.js');
const log = require('../../lib/log.js');

/** States of Bull in which a job may still be run. */
const MAY_RUN = ['active', 'waiting', 'delayed', 'paused'];
/** Milliseconds in which every process has sent what it could not while Redis was away. n8n gives up after 10 s. */
const SETTLED_AFTER = 30_000;

/** What n8n takes for true. */
const POOLS = /^(true|1)$/i;

/** The condition of a query: new, and made before a time, in milliseconds; with `ids`, only these. */
const isNewBefore =
  ({ In, LessThan }) =>
  (time, ids) => ({ status: 'new', createdAt: LessThan(new Date(time)), ...(ids && { id: In(ids) }) });

const HERE = { pause: sleep, now: Date.now, warn: log.warn };

/** n8n reads all jobs at once: 9,000 block main for 0.7 s (run: docs/operate/README.md). Of more, its own search finds them. */
const MOST_WAITING = 10_000;

/** Ids in one query: databases allow only so many parameters. */
const AT_ONCE = 1000;

/**
 * Looks for them after each reconnection of n8n's queue, once for several soon after each other.
 * @param service n8n's ScalingService
 * @throws TypeError if the service has other parts
 */
function watch(service, { isLeader, isNewBefore }, { pause, now, warn } = HERE) {
  const queue = service.defaultQueue ?? service.queue;
  const crash = service.executionCrashService ?? service.executionRepository;
  if (typeof service.findJobsByStatus !== 'function' || typeof crash?.markAsCrashed !== 'function')
    throw new TypeError('there is no findJobsByStatus or markAsCrashed');
  let reconnections = 0;

  const look = async () => {
    const reconnection = ++reconnections;
    const before = now();
    await pause(SETTLED_AFTER);
    if (reconnection !== reconnections || !isLeader()) return;
    const { waiting } = await queue.getJobCounts();
    if (waiting > MOST_WAITING) throw new Error(`${waiting} jobs wait, too many to read them now`);
    const lost = await withoutJob(service, (ids) => isNewBefore(before, ids));
    for (const ids of chunks(lost)) await crash.markAsCrashed(ids);
    if (lost.length > 0)
      warn(`Redis lost data; ${lost.length} executions had no job any more and are marked as crashed`);
  };
  // A client of Redis Cluster says only that a node came or went.
  for (const event of ['ready', '+node', '-node'])
    queue.client.on(
      event,
      () => void look().catch((error) => warn(`whether Redis lost data is not known: ${error.message}`)),
    );
}

/** Ids of executions that meet a condition, before and after the queue was read, and have no job. */
async function withoutJob(service, where) {
  const idsOf = async (condition) => {
    const found = await service.executionRepository.find({ select: ['id'], where: condition });
    return found.map(({ id }) => String(id));
  };
  const found = await idsOf(where());
  if (found.length === 0) return [];
  const jobs = await service.findJobsByStatus(MAY_RUN);
  const queued = new Set(jobs.map(({ data }) => String(data.executionId)));
  const lost = [];
  // One whose job a worker took meanwhile is no longer new.
  for (const ids of chunks(found.filter((id) => !queued.has(id))))
    for (const id of await idsOf(where(ids))) lost.push(id);
  return lost;
}

const chunks = (ids) =>
  Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, i) => ids.slice(i * AT_ONCE, (i + 1) * AT_ONCE));

module.exports = {
  name: 'find-lost-queue',
  isOn: (env) => env.N8N_TUNED_FIND_LOST_QUEUE === 'true' && env.EXECUTIONS_MODE === 'queue',
  bind(_context, env) {
    // Of the queues of pools, n8n sees those alone that its process has made (read: 2.41.1, findJobsByStatus).
    if (POOLS.test(env.N8N_WORKER_POOLS_ENABLED)) throw new Error('worker pools have queues that main does not see');
    const { require: requireOfN8n } = requireN8nModules();
    const container = containerOf(requireOfN8n);
    const instance = container.get(requireOfN8n('n8n-core').InstanceSettings);
    if (instance.instanceType !== 'main') return;
    const { In, LessThan } = requireOfN8n('@n8n/typeorm');
    const service = container.get(requireOfN8n('./scaling/scaling.service').ScalingService);
    watch(service, { isLeader: () => instance.isLeader, isNewBefore: isNewBefore({ In, LessThan }) });
  },
  otherwise: 'What waits in a Redis that loses its data is found after hours.',
  watch,
};
