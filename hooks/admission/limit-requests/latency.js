'use strict';
/*
 * The adaptive concurrency limit of queue mode (concurrency.js has the one of regular mode). Workers execute, and neither how
 * busy they are is known here, nor how much the other processes send them. What this process serves says little: it is its
 * share of what all send, so that who lowers a limit serves less, whatever the workers can do.
 *
 * Known is how long a request is under way, and that all processes see alike. So while there is a line, the limit is as many as
 * would be answered in a useful time: a quarter longer than a request takes by itself, and half a second more (Little's law).
 * How long it takes by itself is known from requests that came while there was little to do; or, if others come now, it is found
 * out by trying (inherent.js). The limit keeps a quarter of its full value all the same.
 */
const { Inherent } = require('./inherent.js');

/**
 * The time that a request may be under way: TIMES its time without load, plus USEFUL milliseconds. With a longer time,
 * more work must finish before times are normal again. A shorter one leaves slots empty where executions wait.
 */
const [TIMES, USEFUL] = [1.25, 500];
/** Lowest limit: a number of requests, and a share of the full limit. */
const LEAST = 3;
const LEAST_SHARE = 0.25;
/**
 * A time is the mean of as many requests as may be under way, of so few or so many. They are those that were admitted after the
 * limit was changed, without the first ones, as many as may be under way: those still met what was admitted before.
 */
const [FEWEST_LEFT, ENOUGH_LEFT] = [4, 10];
/** Requests in the mean at most: the latest ones. */
const MOST_LEFT = 100;
/** Factor of the lowest limit for a try. A larger one gives a clearer result, but costs more if executions compute. */
const TRY = 1.5;
/** Milliseconds without a line after which the limit ends. */
const REST = 10_000;
/** Milliseconds without a refusal after which a line that would fit into the full limit is no overload. */
const CALM = 5000;

class LatencyLimit {
  #most;
  /** Times of requests that count, and have left; and how many are still to leave before. */
  #left = [];
  #early = 0;
  #changedAt = -Infinity;
  /** Whether the limit follows from times, and not from ages. */
  #isKnown = false;
  #lineAt = -Infinity;
  #inherent;

  /** Times are in milliseconds. */
  constructor({ full, now = () => performance.now() }) {
    Object.assign(this, { full, now, least: Math.max(LEAST, Math.ceil(LEAST_SHARE * full)) });
    this.#most = full;
    this.#inherent = new Inherent(this.least);
  }

  /** Current limit of requests under way. */
  get most() {
    return this.now() - this.#lineAt > REST ? this.full : this.#most;
  }

  /** A request leaves that was admitted then, served or not. */
  onLeft(admittedAt) {
    if (admittedAt < this.#changedAt) return;
    if (this.#early > 0) return void this.#early--;
    this.#left.push(this.now() - admittedAt);
    if (this.#left.length > MOST_LEFT) this.#left.shift();
  }

  /**
   * Called while there is a line, with the numbers of requests under way and waiting.
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
    const enough = Math.min(ENOUGH_LEFT, Math.max(FEWEST_LEFT, this.#most));
    if (this.#left.length >= enough) this.#judge(mean(this.#left), unloaded, now);
    else if (!this.#isKnown) this.#foresee(age, usefulTime(unloaded), now);
  }

  #judge(time, unloaded, now) {
    this.#isKnown = true;
    this.#inherent.measured(this.#most, time, now);
    const useful = usefulTime(Math.max(unloaded, this.#inherent.time));
    const most = this.#most * Math.min(2, useful / time);
    // The lowest limit is still too high: the time may not depend on the limit.
    const isStuck = most < this.least && this.#most <= this.least;
    this.#change(isStuck && this.#inherent.wantsTry(now) ? TRY * this.#most : most, now);
  }

  /** Who is under way is so for about as long again: that answers take too long is known before they are sent. */
  #foresee(age, useful, now) {
    const most = Math.max(this.least, (this.full * useful) / (2 * age));
    if (most < this.#most) this.#change(most, now);
  }

  #change(to, now) {
    this.#most = Math.min(this.full, Math.max(this.least, Math.ceil(to)));
    this.#measure(now);
  }

  #reset(now) {
    this.#most = this.full;
    this.#isKnown = false;
    this.#inherent = new Inherent(this.least);
    this.#measure(now);
  }

  #measure(now) {
    this.#left = [];
    this.#early = this.#most < this.full ? this.#most : 0;
    this.#changedAt = now;
  }
}

const usefulTime = (unloaded) => USEFUL + TIMES * unloaded;
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

module.exports = { LatencyLimit };
