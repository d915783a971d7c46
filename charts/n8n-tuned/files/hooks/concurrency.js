'use strict';
/*
 * An adaptive concurrency limit. The limit of requests is what the memory holds, and executions that wait need it. Executions
 * that compute only make each other late: with a fifth of them under way n8n answers about as many, in a third to a half of
 * the time (run: webhook-ack, code and webhook-expression at three times what they take, n8n 2.41.1).
 *
 * While there is a line and the thread is busy, the limit is halved. If clearly fewer requests leave than with the full limit,
 * the halving is taken back, and not tried again for a while. When the thread has time to spare, the limit grows again. It ends
 * when there has been no line for a while.
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
/** Milliseconds until the next halving, after one that was taken back. */
const SETTLED = 60_000;
/** Milliseconds without a line after which the limit ends. */
const REST = 10_000;

class ConcurrencyLimit {
  #begun;
  #looked;
  /** What left with the full limit, per millisecond. */
  #fullRate;
  /** The limit before the one that is tried. */
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

module.exports = { ConcurrencyLimit };
