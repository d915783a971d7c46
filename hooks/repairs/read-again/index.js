'use strict';
/*
 * read-again: in queue mode, an execution whose job ends while the database is away is read again. n8n reads it once (read: 2.41.1,
 * workflow-runner.js and job-processor.js).
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const { HERE, again, isPassing } = require('../../lib/again.js');
const { containerOf, executionStore, requireN8nModules } = require('../../lib/n8n-modules.js');

const READ = 'findSingleExecution';

/**
 * Makes the store of a worker read an execution again: else Bull fails the job that it has just taken.
 * @throws TypeError if the store reads none
 */
function readAgain(store, longest, here = HERE) {
  if (typeof store?.[READ] !== 'function') throw new TypeError(`there is no ${READ}`);
  const read = store[READ].bind(store);
  store[READ] = (...args) => again(() => read(...args), longest, here);
}

/**
 * Makes the process that put an execution into the queue wait for the database when the job has ended (read: 2.41.1,
 * workflow-runner.js). n8n reads the execution once: where the job failed, a read that fails leaves it new until n8n's own search
 * finds it; where it was done, its caller waits without an end. If the database stays away, that caller is told that the execution failed,
 * although its outcome is not known here.
 * @throws TypeError if the parts are others
 */
function settleAgain(runner, store, longest, here = HERE) {
  const { activeExecutions: active } = runner;
  if (
    ![runner.enqueueExecution, runner.processError, store?.[READ], active?.has, active?.finalizeExecution].every(
      (one) => typeof one === 'function',
    )
  )
    throw new TypeError(`there is no enqueueExecution, processError, ${READ} or activeExecutions`);
  /** The execution that the runner waits for here: others, such as the editor, may read one that runs. */
  const waitsFor = new AsyncLocalStorage();
  const enqueue = runner.enqueueExecution.bind(runner);
  runner.enqueueExecution = (id, ...rest) => waitsFor.run(id, () => enqueue(id, ...rest));
  const settle = runner.processError.bind(runner);
  const read = store[READ].bind(store);
  runner.processError = async (...args) => {
    const [, , , executionId] = args;
    await again(() => read(executionId, { includeData: false }), longest, here).catch(() => {});
    return waitsFor.exit(() => settle(...args));
  };
  store[READ] = async (...args) => {
    const [id, options] = args;
    if (!options?.includeData || waitsFor.getStore() !== id || !active.has(id)) return read(...args);
    return again(() => read(...args), longest, here).catch((error) => {
      if (isPassing(error))
        active.finalizeExecution(id, resumesParent(active, id) ? undefined : unreadResult(id, error));
      throw error;
    });
  };
}

/** Whether another execution goes on with the result of this one. Without a result, n8n looks for it once more, later (2.41.1). */
function resumesParent(active, id) {
  const parent = active.activeExecutions?.[id]?.executionData?.executionData?.parentExecution;
  return parent !== undefined && parent.shouldResume !== false;
}

/** The result of an execution whose end could not be read: without one, n8n would answer that it was successful. */
function unreadResult(id, cause) {
  const error = new Error(`The end of execution ${id} could not be read: ${cause.message}`);
  const now = new Date();
  return {
    data: { resultData: { error, runData: {} } },
    finished: false,
    mode: 'webhook',
    startedAt: now,
    stoppedAt: now,
    status: 'error',
  };
}

/** @param isWorker whether this process takes jobs, and does not put them into the queue */
const hook = (isWorker) => ({
  name: 'read-again',
  isOn: (env) => Number(env.N8N_TUNED_SAVE_AGAIN_SECONDS ?? 0) > 0 && env.EXECUTIONS_MODE === 'queue',
  bind(_context, env) {
    const longest = 1000 * Number(env.N8N_TUNED_SAVE_AGAIN_SECONDS);
    const { require: requireOfN8n } = requireN8nModules();
    const store = executionStore(requireOfN8n, READ);
    if (isWorker) return readAgain(store, longest);
    settleAgain(containerOf(requireOfN8n).get(requireOfN8n('./workflow-runner').WorkflowRunner), store, longest);
  },
  otherwise: 'An execution whose job fails in an outage of the database stays new.',
});

module.exports = { onAdmitter: hook(false), onWorker: hook(true), readAgain, settleAgain };
