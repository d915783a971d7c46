'use strict';
/* Repeats a database operation while it fails for a reason that may pass. */
const { setTimeout: sleep } = require('node:timers/promises');
const log = require('./log.js');

/** Milliseconds between two tries: first, and at most. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5000;
/**
 * PostgreSQL's error classes that may pass: 08 connection, 40 transaction rolled back, 53 resources such as a full disk, 57 operator
 * intervention such as a restart, and 58 system errors. Single codes: 25006 read-only server, as after a failover; 25P03 idle
 * transaction; 55P03 lock not available.
 */
const PASSING_CLASS = /^((08|40|53|57|58)...|25006|25P03|55P03)$/;
const PASSING_CODE =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|SQLITE_(BUSY|FULL|IOERR|LOCKED))/;
/** Errors of the driver that have no code; the last ones are those of n8n while it waits for the database (2.x). */
const PASSING_MESSAGE =
  /connection (terminated|timeout|error|is closed|ended|recovery)|timeout exceeded|read timeout|not connected|after calling end|not queryable/i;
/** Clock and log of this process. Tests replace them. */
const HERE = { pause: sleep, now: () => performance.now(), warn: log.warn };

/** Repeats `ask` for at most `longest` milliseconds while its error may pass. `onFirst` is called with the first error. */
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

/** Whether the cause of a database error may pass soon. */
function isPassing(error) {
  const codes = [error?.code, error?.driverError?.code].map(String);
  if (codes.some((code) => PASSING_CLASS.test(code) || PASSING_CODE.test(code))) return true;
  return PASSING_MESSAGE.test(String(error?.message));
}

module.exports = { HERE, again, isPassing };
