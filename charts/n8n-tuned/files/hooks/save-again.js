'use strict';
/*
 * Writes the end of an execution again when the database does not take it.
 *
 * n8n writes it once. While PostgreSQL restarts, or has no connection or disk left, an execution that was done stays `running` until
 * n8n's own search calls it crashed (read: 2.41.1, execution-lifecycle-hooks.js; run: docs/faults.md). Here it is written again for
 * so many seconds. It keeps its place meanwhile: what would begin instead could not be written either.
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const { setTimeout: sleep } = require('node:timers/promises');
const { containerOf, executionStore, n8nModules } = require('./modules.js');

/** What ends an execution in the database; the second one where it is not saved (2.x). */
const [UPDATE, DELETE] = ['updateExistingExecution', 'deleteInFlightExecution'];
const READ = 'findSingleExecution';
/** Milliseconds between two tries: the first, and the most. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5000;
/**
 * PostgreSQL's classes: connection, transaction rolled back, resources (a full disk too), an operator, as at a restart, and its system;
 * and a server that only reads, as after a failover, a transaction that was idle, and a lock that is held.
 */
const PASSING_CLASS = /^((08|40|53|57|58)...|25006|25P03|55P03)$/;
const PASSING_CODE =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|SQLITE_(BUSY|FULL|IOERR|LOCKED))/;
/** Errors of the driver that have no code; the last ones are those of n8n while it waits for the database (2.x). */
const PASSING_MESSAGE =
  /connection (terminated|timeout|error|is closed|ended|recovery)|timeout exceeded|read timeout|not connected|after calling end|not queryable/i;
/** What ends an execution, or puts it aside. */
const ENDS = ['success', 'error', 'crashed', 'canceled', 'waiting'];

/** n8n's `ready` hook of main and webhook processors, and that of workers. */
const saveAgain = () => change(false);
const saveAgainInWorker = () => change(true);

function change(isWorker) {
  const seconds = Number(process.env.N8N_TUNED_SAVE_AGAIN_SECONDS ?? 0);
  if (!(seconds > 0)) return;
  const { require: requireOfN8n } = n8nModules() ?? {};
  const storeWith = (method) => executionStore(requireOfN8n, method);
  tried('the end of an execution is written once', () => {
    // In n8n 2.16 to 2.26 they are two.
    writeAgain(storeWith(UPDATE), 1000 * seconds, UPDATE);
    if (storeWith(DELETE)) writeAgain(storeWith(DELETE), 1000 * seconds, DELETE);
  });
  if (process.env.EXECUTIONS_MODE !== 'queue') return;
  tried('an execution whose job fails in an outage of the database stays new', () => {
    if (isWorker) return readAgain(storeWith(READ), 1000 * seconds);
    const runner = containerOf(requireOfN8n).get(requireOfN8n('./workflow-runner').WorkflowRunner);
    settleAgain(runner, storeWith(READ), 1000 * seconds);
  });
}

function tried(otherwise, change) {
  try {
    change();
  } catch (error) {
    console.warn(`n8n-tuned: ${otherwise}: this n8n has its parts elsewhere: ${error.message}`);
  }
}

const HERE = { pause: sleep, now: () => performance.now(), warn: console.warn };

/** Asks the database again, for so many milliseconds, what it did not do; `onFirst` gets the first error. */
async function again(ask, longest, { pause, now }, onFirst = () => {}) {
  const until = now() + longest;
  for (let wait = FIRST_PAUSE; ; wait = Math.min(LONGEST_PAUSE, 2 * wait)) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error) || now() + wait > until) throw error;
      if (wait === FIRST_PAUSE) onFirst(error);
    }
    await pause(wait);
  }
}

/**
 * Makes a store write again, for so many milliseconds, what the database did not take.
 * @param name of the method that writes
 * @throws TypeError if the store has no such method
 */
function writeAgain(store, longest, name, here = HERE) {
  if (typeof store?.[name] !== 'function') throw new TypeError(`there is no ${name}`);
  const write = store[name].bind(store);
  /** Ids of executions whose end is being written again. */
  const pending = new Set();
  store[name] = async (...args) => {
    const [id, update] = args;
    const isUpdate = name === UPDATE;
    // It has ended; n8n still holds it, so that its time-out, or somebody, may cancel it. One that is put aside has not ended.
    if (isUpdate && update?.status === 'canceled' && pending.has(id)) return false;
    if (isUpdate && !isEnd(update)) return write(...args);
    try {
      return await again(
        () => write(...args),
        longest,
        here,
        (error) => {
          if (update?.status !== 'waiting') pending.add(id);
          here.warn(`n8n-tuned: the end of execution ${id?.executionId ?? id} is written again: ${error.message}`);
        },
      );
    } finally {
      pending.delete(id);
    }
  };
}

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
 * finds it; where it was done, its caller waits for ever. If the database stays away, that caller is told that the execution failed,
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
      if (isPassing(error)) active.finalizeExecution(id, startsParent(active, id) ? undefined : unread(id, error));
      throw error;
    });
  };
}

/** Whether another execution goes on with the result of this one. Without a result, n8n looks for it once more, later (2.41.1). */
function startsParent(active, id) {
  const parent = active.activeExecutions?.[id]?.executionData?.executionData?.parentExecution;
  return parent !== undefined && parent.shouldResume !== false;
}

/** The result of an execution whose end could not be read: without one, n8n would answer that it was successful. */
function unread(id, cause) {
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

/** Whether a change of an execution is its end: n8n also writes each node's result, if it saves the progress. */
const isEnd = (update) => update?.retrySuccessId !== undefined || update?.finished || ENDS.includes(update?.status);

/** Whether an error of the database may be over soon. */
function isPassing(error) {
  const codes = [error?.code, error?.driverError?.code].map(String);
  if (codes.some((code) => PASSING_CLASS.test(code) || PASSING_CODE.test(code))) return true;
  return PASSING_MESSAGE.test(String(error?.message));
}

module.exports = { isPassing, readAgain, saveAgain, saveAgainInWorker, settleAgain, writeAgain };
