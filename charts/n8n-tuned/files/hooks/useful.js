'use strict';
/*
 * How many requests are worth working on at once. The limit is what the memory holds, and executions that wait need as many.
 * Where the process has no time to spare, that many only make each other late: with a fifth of them n8n answers about as many,
 * in a third of the time.
 *
 * While there is a line and the process is busy, the limit is halved and what leaves is counted. If less leaves than with the
 * full limit, it goes back, and stays for a while. When the process has time to spare, the limit grows again. Without a line there is none.
 */
const { eventLoopUtilization } = require('node:perf_hooks').performance;

/** It is never lower than this. */
const LEAST = 5;
/** A thread that works for this share of the time is busy. With SQLite it is at three quarters: it waits for the one writer. */
const BUSY = 0.5;
/** With fewer under way, this share of what left with the full limit must leave. */
const KEPT = 0.9;
/** A rate is known after as many have left as are under way, after so many at least, and so many milliseconds. */
const [LEAST_LEFT, LEAST_TIME] = [40, 1000];
/** Milliseconds until it is tried again, after less left. */
const SETTLED = 60_000;
/** Milliseconds without a line after which the limit ends. */
const REST = 10_000;

class UsefulLimit {
  #begun;
  #looked;
  /** What left with the full limit, per millisecond; the limit before the one that is tried. */
  #fullRate;
  #before;
  #settledUntil = 0;
  #lineAt = -Infinity;

  /** @param busy returns the share of the time for which the thread worked since it was asked before; times in milliseconds */
  constructor({ full, busy = threadBusy(), now = () => performance.now() }) {
    Object.assign(this, { full, most: full, busy, now });
  }

  /** There is a line; so many are under way, and so many have left so far. */
  onLine(underWay, left) {
    const now = this.now();
    if (now - this.#lineAt > REST) this.#reset(now);
    this.#lineAt = now;
    this.#growIfIdle(now);
    // Those above a limit that was lowered leave first.
    if (underWay > this.most) return;
    this.#begun ??= { at: now, left };
    const [time, gone] = [now - this.#begun.at, left - this.#begun.left];
    const isKnown = gone >= Math.max(LEAST_LEFT, underWay) && time >= LEAST_TIME;
    if (isKnown) this.#judge(gone / time, now);
  }

  #growIfIdle(now) {
    if (now - this.#looked < LEAST_TIME) return;
    this.#looked = now;
    if (this.busy() >= BUSY) return;
    // Executions that wait have taken the places of those that compute.
    if (this.most < this.full) this.#settledUntil = now + SETTLED;
    this.most = Math.min(this.full, 2 * this.most);
    this.#begun = this.#before = undefined;
  }

  #judge(rate, now) {
    const before = this.#before;
    this.#begun = this.#before = undefined;
    if (this.most === this.full) this.#fullRate = rate;
    if (before && rate < KEPT * this.#fullRate) {
      this.most = before;
      this.#settledUntil = now + SETTLED;
    } else if (now >= this.#settledUntil && this.most > LEAST) {
      this.#before = this.most;
      this.most = Math.max(LEAST, Math.ceil(this.most / 2));
    }
  }

  #reset(now) {
    this.most = this.full;
    this.#begun = this.#before = undefined;
    this.#settledUntil = 0;
    this.#looked = now;
    this.busy();
  }
}

function threadBusy() {
  let last = eventLoopUtilization();
  return () => {
    const now = eventLoopUtilization();
    const { utilization } = eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

module.exports = { UsefulLimit };
