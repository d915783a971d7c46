'use strict';
/* What the database does not do is asked again for a while. */
const { setTimeout: sleep } = require('node:timers/promises');
const log = require('./log.js');

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
/** Time and log of this process; tests have others. */
const HERE = { pause: sleep, now: () => performance.now(), warn: log.warn };

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

/** Whether an error of the database may be over soon. */
function isPassing(error) {
  const codes = [error?.code, error?.driverError?.code].map(String);
  if (codes.some((code) => PASSING_CLASS.test(code) || PASSING_CODE.test(code))) return true;
  return PASSING_MESSAGE.test(String(error?.message));
}

module.exports = { HERE, again, isPassing };
