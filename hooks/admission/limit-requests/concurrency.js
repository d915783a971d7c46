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

/** It is never lower than this … */
const LEAST = 5;
/** … or than what is served in so many milliseconds more than a request takes by itself: then an answer takes about as long. */
const USEFUL = 1000;
/** A thread that works for this share of the time is busy. With SQLite it is at three quarters: it waits for the one writer. */
const BUSY = 0.5;
/** With fewer under way, this share of the best rate so far must be served. */
const KEPT = 0.9;
/** Of a rate that is better than with the full limit so much counts: a process that has just started gets faster. */
const COUNTED = 0.95;
/**
 * A rate is known after as many have left as are under way, after so many at least, and so many milliseconds; or after the
 * longest time. A rate that is too low after the limit was lowered is looked at for so many times as long.
 */
const [LEAST_ENDED, LEAST_TIME, MOST_TIME, DOUBTED] = [40, 1000, 10_000, 2];
/** For so many milliseconds the thread has time to spare before executions are taken to wait. */
const SPARE_TIME = 5000;
/** Milliseconds until the next try, after the first one that was taken back; twice as long after each further one, up to the most. */
const [FIRST_SETTLED, SETTLED] = [10_000, 60_000];
/** Milliseconds without a line after which the limit ends. */
const REST = 10_000;
/** Milliseconds without a refusal after which a line that would fit into the full limit is no overload. */
const CALM = 5000;

class ConcurrencyLimit {
  #most;
  #begun;
  #looked;
  /** The best that was served since there is a line, per millisecond. */
  #bestRate = 0;
  /** The limit before the one that is tried. */
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

  /** Most that are worth it under way now. */
  get most() {
    return this.now() - this.#lineAt > REST ? this.full : this.#most;
  }

  /**
   * There is a line; so many are under way and wait.
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
