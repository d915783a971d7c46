'use strict';
/*
 * Writes the end of an execution again when the database does not take it.
 *
 * n8n writes it once. While PostgreSQL restarts, or has no connection or disk left, an execution that was done stays `running` until
 * n8n's own search calls it crashed (read: 2.41.1, execution-lifecycle-hooks.js; run: docs/faults.md). This hook repeats the
 * write for N8N_TUNED_SAVE_AGAIN_SECONDS. The execution keeps its slot meanwhile: another one could not be written either.
 */
const { HERE, again } = require('../../lib/again.js');
const { executionStore, requireN8nModules } = require('../../lib/n8n-modules.js');

/** Methods that end an execution in the database. The second is for executions that are not saved (2.x). */
const [UPDATE, DELETE] = ['updateExistingExecution', 'deleteInFlightExecution'];
/** What ends an execution, or puts it aside. */
const ENDS = ['success', 'error', 'crashed', 'canceled', 'waiting'];

/**
 * Makes a store repeat a failed write for at most `longest` milliseconds.
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
          here.warn(`the end of execution ${id?.executionId ?? id} is written again: ${error.message}`);
        },
      );
    } finally {
      pending.delete(id);
    }
  };
}

/** Whether a change of an execution is its end: n8n also writes each node's result, if it saves the progress. */
const isEnd = (update) => update?.retrySuccessId !== undefined || update?.finished || ENDS.includes(update?.status);

module.exports = {
  name: 'save-again',
  isOn: (env) => Number(env.N8N_TUNED_SAVE_AGAIN_SECONDS ?? 0) > 0,
  bind(_context, env) {
    const longest = 1000 * Number(env.N8N_TUNED_SAVE_AGAIN_SECONDS);
    const { require: requireOfN8n } = requireN8nModules();
    // In n8n 2.16 to 2.26 they are two.
    const [writer, deleter] = [UPDATE, DELETE].map((method) => executionStore(requireOfN8n, method));
    writeAgain(writer, longest, UPDATE);
    if (deleter) writeAgain(deleter, longest, DELETE);
  },
  otherwise: 'The end of an execution is written once: one that the database does not take stays listed as running.',
  writeAgain,
};
