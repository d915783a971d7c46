'use strict';
/*
 * Keeps the input of executions whose worker died.
 *
 * Bull gives the job of a dead worker to no other one: it calls it stalled. The process that put it into the queue then writes an
 * error over everything that the database has of the execution, its input included, and no retry is possible (read: 2.41.1,
 * WorkflowRunner.enqueueExecution). Here it only marks the execution as crashed, as n8n's own search for lost executions does: a
 * retry in the editor or by the API starts it again. The error workflow runs as before.
 */
const { executionStore, isAtLeast2, n8nModules } = require('./modules.js');

const STALLED = './errors/max-stalled-count.error';

/** n8n's `ready` hook. */
function keepInput() {
  if (process.env.N8N_TUNED_KEEP_INPUT !== 'true') return;
  try {
    const modules = n8nModules();
    const { MaxStalledCountError } = modules.require(STALLED);
    const store = executionStore(modules.require, 'updateExistingExecution');
    const unended = isAtLeast2(7, modules.require)
      ? modules.require('@n8n/db').In(['new', 'running', 'waiting', 'crashed'])
      : undefined;
    markCrashed(store, new MaxStalledCountError(new Error()).message, unended);
  } catch (error) {
    console.warn(
      `n8n-tuned: an execution whose worker dies loses its input: this n8n saves it elsewhere: ${error.message}`,
    );
  }
}

/**
 * Makes a store mark executions that failed with this message as crashed, and leave the rest of them as it is.
 * @param unended the statuses that may be overwritten, as n8n's `requireStatus` from 2.7 on (before, it takes one status or none): a
 *   worker may be lost after it has written the end of the execution
 * @throws TypeError if the store cannot update executions
 */
function markCrashed(store, message, unended) {
  const update = store.updateExistingExecution.bind(store);
  store.updateExistingExecution = (id, execution, ...conditions) => {
    if (execution.data?.resultData?.error?.message !== message) return update(id, execution, ...conditions);
    const { data, workflowData, ...rest } = execution;
    const [given = {}] = conditions;
    // n8n does not combine the two.
    const { requireNotCanceled: _, ...others } = given;
    const required = unended ? [{ ...others, requireStatus: unended }] : conditions;
    return update(id, { ...rest, status: 'crashed' }, ...required);
  };
}

module.exports = { keepInput, markCrashed };
