'use strict';
/*
 * Writes the end of an execution again when the database does not take it.
 *
 * n8n writes it once. While PostgreSQL restarts, or has no connection or disk left, an execution that was done stays `running` until
 * n8n's own search calls it crashed (read: 2.41.1, execution-lifecycle-hooks.js; run: docs/faults.md). Here it is written again for
 * so many seconds. It keeps its place meanwhile: what would begin instead could not be written either.
 */
const { setTimeout: sleep } = require('node:timers/promises');
const { executionStore, n8nModules } = require('./modules.js');

/** What ends an execution in the database; the second one where it is not saved (2.x). */
const WRITES = ['updateExistingExecution', 'deleteInFlightExecution'];
/** Milliseconds between two tries: the first, and the most. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5000;
/** PostgreSQL's classes: connection, transaction rolled back, resources (a full disk too), and an operator, as at a restart. */
const PASSING_CLASS = /^(08|40|53|57)...$/;
const PASSING_CODE =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|SQLITE_(BUSY|FULL|IOERR|LOCKED))/;
/** Errors of the driver that have no code. */
const PASSING_MESSAGE =
  /connection (terminated|timeout|error|is closed|ended)|timeout exceeded|read timeout|not connected/i;

/** n8n's `ready` hook, of main, webhook processors and workers. */
function saveAgain() {
  const seconds = Number(process.env.N8N_TUNED_SAVE_AGAIN_SECONDS ?? 0);
  if (!(seconds > 0)) return;
  try {
    writeAgain(executionStore(n8nModules().require), 1000 * seconds);
  } catch (error) {
    console.warn(`n8n-tuned: the end of an execution is written once: this n8n saves it elsewhere: ${error.message}`);
  }
}

/**
 * Makes a store write again, for so many milliseconds, what the database did not take.
 * @throws TypeError if the store cannot update executions
 */
function writeAgain(store, longest, { pause = sleep, now = () => performance.now(), warn = console.warn } = {}) {
  if (typeof store[WRITES[0]] !== 'function') throw new TypeError(`there is no ${WRITES[0]}`);
  for (const name of WRITES.filter((each) => typeof store[each] === 'function')) {
    const write = store[name].bind(store);
    store[name] = async (...args) => {
      const until = now() + longest;
      for (let wait = FIRST_PAUSE; ; wait = Math.min(LONGEST_PAUSE, 2 * wait)) {
        try {
          return await write(...args);
        } catch (error) {
          if (!isPassing(error) || now() + wait > until) throw error;
          if (wait === FIRST_PAUSE)
            warn(
              `n8n-tuned: the end of execution ${args[0]?.executionId ?? args[0]} is written again: ${error.message}`,
            );
        }
        await pause(wait);
      }
    };
  }
}

/** Whether an error of the database may be over soon. */
function isPassing(error) {
  const codes = [error?.code, error?.driverError?.code].map(String);
  if (codes.some((code) => PASSING_CLASS.test(code) || PASSING_CODE.test(code))) return true;
  return PASSING_MESSAGE.test(String(error?.message));
}

module.exports = { isPassing, saveAgain, writeAgain };
