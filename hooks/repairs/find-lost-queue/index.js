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

/** Bull's states of jobs that may still run. */
const MAY_RUN = ['active', 'waiting', 'delayed', 'paused'];
/** Milliseconds after which every process has sent the jobs that it held back while Redis was away. n8n gives up after 10 s. */
const SETTLED_AFTER = 30_000;

/** Values that n8n reads as true. */
const POOLS = /^(true|1)$/i;

/** A query condition: status new, created before `time` in milliseconds; with `ids`, only these executions. */
const isNewBefore =
  ({ In, LessThan }) =>
  (time, ids) => ({ status: 'new', createdAt: LessThan(new Date(time)), ...(ids && { id: In(ids) }) });

const HERE = { pause: sleep, now: Date.now, warn: log.warn };

/**
 * Most waiting jobs to search. n8n reads all at once; 9,000 block main for 0.7 s (run: docs/operate/README.md). Beyond this number, n8n's
 * own search finds the lost executions.
 */
const MOST_WAITING = 10_000;

/** Ids in one query. Databases limit the number of parameters. */
const AT_ONCE = 1000;

/**
 * Looks for lost executions after each reconnection of n8n's queue. Reconnections in quick succession cause one search.
 * @param service n8n's ScalingService
 * @throws TypeError if the service lacks an expected method
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
    const lost = await findExecutionsWithoutJob(service, (ids) => isNewBefore(before, ids));
    for (const ids of splitIntoChunks(lost)) await crash.markAsCrashed(ids);
    if (lost.length > 0)
      warn(`Redis lost data; ${lost.length} executions had no job any more and are marked as crashed`);
  };
  // A Redis Cluster client reports only that a node was added or removed.
  for (const event of ['ready', '+node', '-node'])
    queue.client.on(
      event,
      () => void look().catch((error) => warn(`could not check whether Redis lost data: ${error.message}`)),
    );
}

/** Ids of executions without a job that meet the condition both before and after the queue is read. */
async function findExecutionsWithoutJob(service, where) {
  const idsOf = async (condition) => {
    const found = await service.executionRepository.find({ select: ['id'], where: condition });
    return found.map(({ id }) => String(id));
  };
  const found = await idsOf(where());
  if (found.length === 0) return [];
  const jobs = await service.findJobsByStatus(MAY_RUN);
  const queued = new Set(jobs.map(({ data }) => String(data.executionId)));
  const lost = [];
  // If a worker has taken the job meanwhile, the execution is no longer new.
  for (const ids of splitIntoChunks(found.filter((id) => !queued.has(id))))
    for (const id of await idsOf(where(ids))) lost.push(id);
  return lost;
}

const splitIntoChunks = (ids) =>
  Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, i) => ids.slice(i * AT_ONCE, (i + 1) * AT_ONCE));

module.exports = {
  name: 'find-lost-queue',
  isOn: (env) => env.N8N_TUNED_FIND_LOST_QUEUE === 'true' && env.EXECUTIONS_MODE === 'queue',
  bind(_context, env) {
    // n8n sees only the pool queues that its own process has created (read: 2.41.1, findJobsByStatus).
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
