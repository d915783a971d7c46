'use strict';
/*
 * The adaptive concurrency limit of queue mode (concurrency.js has the one of regular mode). Workers execute, and neither how
 * busy they are is known here, nor how much the other processes send them. What this process serves says little: it is its
 * share of what all send, so that who lowers a limit serves less, whatever the workers can do.
 *
 * Known is how long a request is under way, and that all processes see alike. So while there is a line, the limit is as many as
 * would be answered in a useful time: a quarter longer than a request takes by itself, and half a second more (Little's law). It
 * keeps a quarter of its full value, since executions that have begun to wait for something else take longer, too, and would only
 * lose their places.
 */

/**
 * For how long a request may be under way: so many times as long as without load, and so many milliseconds more. Too long, and
 * all that has to be done before it is normal again; too short, and slots are empty where executions wait.
 */
const [TIMES, USEFUL] = [1.25, 500];
/** The limit is never lower than this, or than this share of the full one. */
const LEAST = 3;
const LEAST_SHARE = 0.25;
/** A time is the mean of so many requests: of the last ones that were admitted since the limit was changed. */
const [LEAST_LEFT, MOST_LEFT] = [10, 100];
/** Milliseconds without a line after which the limit ends. */
const REST = 10_000;
/** Milliseconds without a refusal after which a line that would fit into the full limit is no overload. */
const CALM = 5000;

class LatencyLimit {
  #most;
  /** Times of requests that were admitted since the limit was changed, and have left. */
  #left = [];
  #changedAt = -Infinity;
  /** Whether the limit follows from times, and not from ages. */
  #isKnown = false;
  #lineAt = -Infinity;

  /** Times are in milliseconds. */
  constructor({ full, now = () => performance.now() }) {
    Object.assign(this, { full, now });
    this.#most = full;
  }

  /** Most that are worth it under way now. */
  get most() {
    return this.now() - this.#lineAt > REST ? this.full : this.#most;
  }

  /** A request leaves that was admitted then, served or not. */
  onLeft(admittedAt) {
    if (admittedAt < this.#changedAt) return;
    this.#left.push(this.now() - admittedAt);
    if (this.#left.length > MOST_LEFT) this.#left.shift();
  }

  /**
   * There is a line; so many are under way and wait.
   * @param isCrowd whether more came than a few clients that each wait for their answer, spread unevenly; else nothing is lowered
   * @param unloaded the time for which one is under way while there is little to do, in milliseconds
   * @param age for how long those have been under way that are, in the mean
   * @param refusedAt when somebody was refused the last time
   */
  onLine({ underWay, waiting, isCrowd, unloaded, age, refusedAt }) {
    const now = this.now();
    const isCalm = underWay + waiting <= this.full && now - refusedAt > CALM;
    if (now - this.#lineAt > REST || (isCalm && this.#most < this.full)) this.#reset(now);
    this.#lineAt = now;
    if (!isCrowd) return;
    const useful = USEFUL + TIMES * unloaded;
    if (this.#left.length >= LEAST_LEFT) {
      this.#isKnown = true;
      this.#change(this.#most * Math.min(2, useful / mean(this.#left)), now);
    } else if (!this.#isKnown && 2 * age > useful) {
      // Who is under way is so for about as long again: that answers take too long is known before they are sent.
      const most = (this.full * useful) / (2 * age);
      if (most < this.#most) this.#change(most, now);
    }
  }

  #change(to, now) {
    this.#most = Math.min(this.full, Math.max(LEAST, Math.ceil(LEAST_SHARE * this.full), Math.ceil(to)));
    this.#measure(now);
  }

  #reset(now) {
    this.#most = this.full;
    this.#isKnown = false;
    this.#measure(now);
  }

  #measure(now) {
    this.#left = [];
    this.#changedAt = now;
  }
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

module.exports = { LatencyLimit };
