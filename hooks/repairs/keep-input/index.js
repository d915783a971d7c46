'use strict';
/*
 * Keeps the input of executions whose worker died.
 *
 * Bull gives the job of a dead worker to no other one: it calls it stalled. The process that put it into the queue then writes an
 * error over everything that the database has of the execution, its input included, and no retry is possible (read: 2.41.1,
 * WorkflowRunner.enqueueExecution). Here it only marks the execution as crashed, as n8n's own search for lost executions does: a
 * retry in the editor or by the API starts it again. The error workflow runs as before.
 */
const { containerOf, executionStore, isAtLeast2, requireN8nModules } = require('../../lib/n8n-modules.js');

/** Statuses of executions that have not ended: n8n's `requireStatus` takes several from 2.7 on. */
const UNENDED = ['new', 'running', 'waiting', 'crashed'];

/**
 * Makes a store mark executions whose job has stalled as crashed, and leave the rest of them as it is. Which they are is known from the
 * error that the runner of workflows ends them with, by its class: a workflow may fail with any text.
 * @param runner n8n's WorkflowRunner, which ends them by `processError`
 * @param isStalled tells whether an error is that of a job that has stalled
 * @param unended the statuses that may be overwritten, as n8n's `requireStatus` from 2.7 on (before, it takes one status or none): a
 *   worker may be lost after it has written the end of the execution
 * @throws TypeError if the store cannot update executions, or the runner cannot end them
 */
function markCrashed(runner, store, isStalled, unended) {
  for (const [object, method] of [
    [runner, 'processError'],
    [store, 'updateExistingExecution'],
  ])
    if (typeof object?.[method] !== 'function') throw new TypeError(`there is no ${method}`);
  const stalled = trackStalled(runner, isStalled);
  const update = store.updateExistingExecution.bind(store);
  store.updateExistingExecution = (id, execution, ...conditions) => {
    if (!stalled.has(id) || execution.data === undefined) return update(id, execution, ...conditions);
    const { data, workflowData, ...rest } = execution;
    const [given = {}] = conditions;
    // n8n does not combine the two.
    const { requireNotCanceled: _, ...others } = given;
    const required = unended ? [{ ...others, requireStatus: unended }] : conditions;
    return update(id, { ...rest, status: 'crashed' }, ...required);
  };
}

/** Returns the ids of executions that the runner is ending because their job has stalled. */
function trackStalled(runner, isStalled) {
  const stalled = new Set();
  const end = runner.processError.bind(runner);
  runner.processError = async (error, startedAt, mode, id, ...rest) => {
    if (!isStalled(error)) return await end(error, startedAt, mode, id, ...rest);
    stalled.add(id);
    try {
      return await end(error, startedAt, mode, id, ...rest);
    } finally {
      stalled.delete(id);
    }
  };
  return stalled;
}

module.exports = {
  name: 'keep-input',
  isOn: (env) => env.N8N_TUNED_KEEP_INPUT === 'true',
  bind() {
    const { require: requireOfN8n } = requireN8nModules();
    const { MaxStalledCountError } = requireOfN8n('./errors/max-stalled-count.error');
    const runner = containerOf(requireOfN8n).get(requireOfN8n('./workflow-runner').WorkflowRunner);
    const store = executionStore(requireOfN8n, 'updateExistingExecution');
    const unended = isAtLeast2(7, requireOfN8n) ? requireOfN8n('@n8n/db').In(UNENDED) : undefined;
    markCrashed(runner, store, (error) => error instanceof MaxStalledCountError, unended);
  },
  otherwise: 'An execution whose worker dies loses its input.',
  markCrashed,
};
