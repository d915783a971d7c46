'use strict';
/*
 * An adaptive concurrency limit. The limit of requests is what the memory holds, and executions that wait need it. Executions
 * that compute only make each other late.
 *
 * While there is a line and the thread is busy, the limit is lowered to what is served in a second, and in the time that a
 * request takes by itself, for which it may only wait (Little's law): with fewer under way n8n serves less, and with more every
 * answer is late. It is at most halved at a time. If clearly fewer requests are served than at the best of the limits before,
 * that is taken back, and not tried again for a while. When the thread has time to spare, the whole limit is allowed again. In queue
 * mode workers execute, and latency.js has the limit.
 *
 * Executions that began together end together, and the thread rests in between. So a short look sees too much or too little, and
 * what is decided on it alone must be cheap to correct: a limit that is too low for some seconds is, one that is too high makes
 * every answer late. That is why a limit is lowered after one look, and taken back after a longer one.
 *
 * It ends when there has been no line for a while, or when all that wait would fit into the full limit and nobody was refused
 * of late: then the limit itself makes the line, as when a few clients that each wait for their answer follow an overload.
 */
const { eventLoopUtilization } = require('node:perf_hooks').performance;

/** Requests: the lowest limit. */
const LEAST = 5;
/** Milliseconds that a request may wait, in addition to its time without load. The limit is not below the number served in both. */
const USEFUL = 1000;
/** A thread that works for this share of the time is busy. With SQLite it is at three quarters: it waits for the one writer. */
const BUSY = 0.5;
/** Share of the best rate so far that a lower limit must keep. */
const KEPT = 0.9;
/** Share of a rate below the full limit that counts towards the best rate, because a process that has just started gets faster. */
const COUNTED = 0.95;
/**
 * A rate is known when as many requests have left as are under way, and at least LEAST_ENDED, in at least LEAST_TIME milliseconds; or
 * after MOST_TIME milliseconds. A rate that is too low after the limit was lowered is measured for DOUBTED times as long.
 */
const [LEAST_ENDED, LEAST_TIME, MOST_TIME, DOUBTED] = [40, 1000, 10_000, 2];
/** Milliseconds between two checks whether the thread is idle. An idle thread means that executions wait for something else. */
const SPARE_TIME = 5000;
/** Milliseconds until the next try after one that was reverted: after the first, and at most. It doubles each time. */
const [FIRST_SETTLED, SETTLED] = [10_000, 60_000];
/** Milliseconds without a line after which the limit ends. */
const REST = 10_000;
/** Milliseconds without a refusal after which a line that would fit into the full limit is no overload. */
const CALM = 5000;

class ConcurrencyLimit {
  #most;
  #begun;
  #looked;
  /** Best rate since the line began, in requests per millisecond. */
  #bestRate = 0;
  /** The limit before the current try. */
  #before;
  /** Whether the rate of that one was too low at the first look. */
  #isDoubtful = false;
  #settledUntil = 0;
  #settles = FIRST_SETTLED;
  #lineAt = -Infinity;

  /**
   * @param busy returns the share of the time for which the thread worked since it was asked before. Times are in milliseconds.
   */
  constructor({ full, busy = threadBusy(), now = () => performance.now() }) {
    Object.assign(this, { full, busy, now });
    this.#most = full;
  }

  /** Current limit of requests under way. */
  get most() {
    return this.now() - this.#lineAt > REST ? this.full : this.#most;
  }

  /**
   * Called while there is a line, with the numbers of requests under way and waiting.
   * @param ended how many have left so far; `served`: with their answer
   * @param unloaded the time for which one is under way while there is little to do, in milliseconds
   * @param refusedAt when somebody was refused the last time
   */
  onLine({ underWay, waiting, ended, served, unloaded, refusedAt }) {
    const now = this.now();
    const isCalm = this.#most < this.full && underWay + waiting <= this.full && now - refusedAt > CALM;
    if (now - this.#lineAt > REST) this.#reset(now);
    else if (isCalm) this.#allowAll();
    this.#lineAt = now;
    this.#allowAllIfIdle(now);
    // Those above a limit that was lowered leave first.
    if (underWay > this.#most) return;
    this.#begun ??= { at: now, ended, served };
    const [time, done] = [now - this.#begun.at, ended - this.#begun.ended];
    const looks = this.#isDoubtful ? DOUBTED : 1;
    const isKnown = done >= looks * Math.max(LEAST_ENDED, underWay) && time >= LEAST_TIME;
    if (isKnown || time >= looks * MOST_TIME) this.#judge((served - this.#begun.served) / time, unloaded, now);
  }

  #allowAllIfIdle(now) {
    if (now - this.#looked < SPARE_TIME) return;
    this.#looked = now;
    if (this.busy() >= BUSY) return;
    // Executions that wait have taken the places of those that compute.
    if (this.#most < this.full) this.#settledUntil = now + SETTLED;
    this.#allowAll();
  }

  #judge(rate, unloaded, now) {
    const before = this.#before;
    const isWorse = before !== undefined && rate < KEPT * this.#bestRate;
    const wasLowered = this.#most < before;
    if (isWorse && wasLowered && !this.#isDoubtful) {
      this.#isDoubtful = true;
      return;
    }
    this.#forgetTry();
    if (isWorse) {
      this.#most = before;
      this.#settledUntil = now + (wasLowered ? this.#settles : SETTLED);
      if (wasLowered) this.#settles = Math.min(SETTLED, 2 * this.#settles);
      return;
    }
    this.#bestRate = this.#most === this.full ? rate : Math.max(this.#bestRate, COUNTED * rate);
    const useful = Math.ceil(rate * (USEFUL + unloaded));
    const next = Math.min(this.full, Math.max(LEAST, Math.ceil(this.#most / 2), useful));
    if (now < this.#settledUntil || next === this.#most) return;
    this.#before = this.#most;
    this.#most = next;
  }

  #allowAll() {
    this.#most = this.full;
    this.#forgetTry();
  }

  #forgetTry() {
    this.#begun = this.#before = undefined;
    this.#isDoubtful = false;
  }

  #reset(now) {
    this.#allowAll();
    this.#settledUntil = 0;
    this.#settles = FIRST_SETTLED;
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
