'use strict';
/*
 * What of the time for which a request is under way does not depend on how many others are: the time for which an execution waits
 * for something else. With fewer under way it takes as long, and all that comes of a lower limit is empty slots.
 *
 * It is learnt by trying: with the least limit, and with a higher one. Times that grow in proportion to the limit are those of
 * executions that compute, and share what the workers have. What is learnt is believed for a while, since other executions may
 * have come.
 */

/** Smallest ratio of two limits whose times are compared. */
const FAR = 1.25;
/**
 * Shares of the time that would remain without other requests. From MOSTLY on, the time does not depend on the limit. Below HARDLY, it
 * does.
 */
const [MOSTLY, HARDLY] = [0.9, 0.65];
/** Milliseconds for which a learnt time is valid: at first, and at most. */
const [FIRST_HOLDS, MOST_HOLDS] = [60_000, 300_000];
/** Milliseconds from a try to the next: at first, and at most. */
const [FIRST_PAUSE, MOST_PAUSE] = [10_000, 60_000];

class Inherent {
  /** In milliseconds; 0 while nothing is known. */
  time = 0;
  #until = -Infinity;
  #holds = FIRST_HOLDS;
  /** The time of a request with the least limit. */
  #base;
  #triedUntil = -Infinity;
  #pause = FIRST_PAUSE;

  /** @param least the least limit */
  constructor(least) {
    this.least = least;
  }

  /** Records the mean time under way, in milliseconds, at a limit. */
  measured(limit, time, now) {
    if (this.time > 0 && now >= this.#until) this.#forget();
    if (limit <= this.least) this.#base = time;
    else if (this.#base !== undefined && limit >= FAR * this.least) this.#compare(limit, time, now);
  }

  #compare(limit, time, now) {
    // Both times lie on a line; this is its value at a limit of none, as a share.
    const share = (time * this.least - this.#base * limit) / (this.least - limit) / this.#base;
    if (share < HARDLY && this.time > 0) {
      this.#forget();
      this.#holds = FIRST_HOLDS;
      this.#triedUntil = now + this.#pause;
    } else if (share >= MOSTLY && this.time === 0) {
      this.time = this.#base;
      this.#until = now + this.#holds;
      this.#holds = Math.min(MOST_HOLDS, 2 * this.#holds);
    }
  }

  #forget() {
    this.time = 0;
    this.#base = undefined;
  }

  /** Whether a higher limit should be tried now. It is then not asked for again for a while. */
  wantsTry(now) {
    if (now < this.#triedUntil) return false;
    this.#triedUntil = now + this.#pause;
    this.#pause = Math.min(MOST_PAUSE, 2 * this.#pause);
    return true;
  }
}

module.exports = { Inherent };
