'use strict';
/*
 * Admission: how many requests to production paths n8n works on at once. Without it, n8n takes every request that arrives;
 * each holds memory until it is answered, and so a crowd ends in an OOM kill (docs/overload.md).
 *
 * At most MAX_REQUESTS are under way. The next ones wait in a line, first in, first out; all others are answered at once with
 * 503 and Retry-After. In regular mode an execution that goes on after its answer counts, too, since it holds memory in this
 * process. Fewer are taken where V8's heap is full all the same (heap.js), and where fewer at once serve as many
 * (concurrency.js). A request that resumes an execution may exceed the limit a little: others may have places until it has
 * come.
 *
 * It knows neither HTTP (http.js) nor n8n (n8n.js).
 */

/** Requests that resume an execution may exceed the limit by this share of it, and by two at least. */
const SPARE = 0.1;
const LEAST_SPARE = 2;
/** Milliseconds between two looks at the line: for requests that waited too long, and for executions that have ended. */
const LOOK = 50;
/** The time to wait is predicted from what left in this many milliseconds at least, and about so many at most. */
const LEAST_HISTORY = 1000;
const MOST_HISTORY = 10_000;
/**
 * A line absorbs a burst. One that has lasted for this long, in milliseconds, absorbs nothing: it only makes every answer late.
 * From then on nobody waits longer than this share of the longest wait (a standing queue, as CoDel treats it).
 */
const STANDING = 5000;
const STANDING_SHARE = 0.25;
/** Seconds of Retry-After: at least, and at most. Chance spreads clients that were refused together. */
const LEAST_RETRY = 1;
const HEAP_RETRY = 5;
const MOST_RETRY = 30;

const NO_EXECUTIONS = { all: 0, answered: 0, held: 0 };

/** Who is under way, who waits and who is refused; it knows nothing of HTTP. Times are in milliseconds. */
class Admission {
  /** Visitors under way; each leaves once. */
  open = 0;
  admitted = 0;
  left = 0;
  refused = { line: 0, wait: 0, heap: 0, ending: 0 };
  /** Most executions and requests that the heap may hold (heap.js). */
  heap = { most: Infinity };
  /** The adaptive limit: most that are worth it under way, while there is a line (concurrency.js). */
  concurrency = { most: Infinity, onLine() {} };
  /** Called with the milliseconds that a visitor waited, when it is admitted. */
  onWait = () => {};
  #ending = false;
  /** Of { enter, refuse, resumes, since }, in the order of arrival. */
  #line = new Set();
  /** Since when there has been a line. */
  #lineSince = 0;
  /** How many left since then; see #expected. */
  #since = 0;
  #left = 0;
  #timer;

  /**
   * @param executions of webhooks in this process: `all` that go on, and `answered` of them, as far as n8n tells; `held` in its
   *   memory, those that go on elsewhere included
   */
  constructor({ most, line, longest, executions = () => NO_EXECUTIONS, now = () => performance.now() }) {
    Object.assign(this, { most, line, longest, executions, now });
  }

  get waiting() {
    return this.#line.size;
  }

  /** Open requests and executions that go on after their answer; or all executions, where there are more. */
  get underWay() {
    const { all, answered } = this.executions();
    return Math.max(this.open + answered, all);
  }

  /** Requests or executions in memory, whichever are more. */
  get held() {
    return Math.max(this.open, this.executions().held);
  }

  /**
   * A visitor arrives.
   * @param enter called now or later, with a function that it must call when it leaves
   * @param refuse called, with the seconds after which it may try again, if it may not enter
   * @param resumes whether others may be under way until it has come
   * @returns a function that takes a visitor that went away out of the line
   */
  arrive(enter, refuse, resumes = false) {
    const visitor = { enter, refuse, resumes, since: this.now() };
    if (this.#ending) this.#refuse(visitor, 'ending');
    // Such a request does not wait: the heap stays full for longer than a line may last.
    else if (!resumes && this.#heapIsFull()) this.#refuse(visitor, 'heap');
    else if (this.#line.size === 0 && this.#hasRoom()) this.#admit(visitor);
    else if (resumes && this.#hasRoom(Math.max(LEAST_SPARE, SPARE * this.most))) this.#admit(visitor);
    else if (this.#line.size >= this.line) this.#refuse(visitor, 'line');
    else if (this.#expected() > this.#allowed()) this.#refuse(visitor, 'wait');
    else this.#join(visitor);
    return () => this.#line.delete(visitor);
  }

  /** Refuses whoever waits or comes now: the process ends. */
  end() {
    this.#ending = true;
    for (const visitor of this.#line) this.#refuse(visitor, 'ending');
  }

  #heapIsFull() {
    return this.held >= this.heap.most;
  }

  #hasRoom(spare = 0) {
    return this.underWay < Math.min(this.most, this.concurrency.most) + spare;
  }

  #admit(visitor) {
    this.#line.delete(visitor);
    this.open++;
    this.admitted++;
    this.onWait(this.now() - visitor.since);
    let left = false;
    visitor.enter(() => {
      if (left) return;
      left = true;
      this.open--;
      this.left++;
      this.#left++;
      this.#advance();
    });
  }

  #refuse(visitor, reason) {
    this.#line.delete(visitor);
    this.refused[reason]++;
    const wait = this.#expected();
    const least = reason === 'heap' ? HEAP_RETRY : LEAST_RETRY;
    const seconds = Math.ceil((Number.isFinite(wait) ? wait : 0) / 1000 + Math.random());
    visitor.refuse(Math.min(MOST_RETRY, Math.max(least, seconds)));
  }

  #join(visitor) {
    if (this.#line.size === 0) {
      this.#lineSince = visitor.since;
      this.#since = visitor.since;
      this.#left = 0;
    }
    this.#line.add(visitor);
    this.#timer ??= setInterval(() => this.#look(), LOOK).unref();
  }

  #advance() {
    for (const visitor of this.#line) {
      if (!this.#hasRoom()) return;
      if (visitor.resumes || !this.#heapIsFull()) this.#admit(visitor);
    }
  }

  #look() {
    this.#advance();
    for (const visitor of this.#line) {
      if (this.now() - visitor.since < this.#allowed()) break;
      this.#refuse(visitor, 'wait');
    }
    if (this.#line.size > 0) return this.concurrency.onLine(this.underWay, this.left);
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Milliseconds for which a visitor may wait now. */
  #allowed() {
    const isStanding = this.#line.size > 0 && this.now() - this.#lineSince > STANDING;
    return isStanding ? this.longest * STANDING_SHARE : this.longest;
  }

  /** Milliseconds that the next visitor would wait, at the rate at which visitors left of late; 0 if that is not known yet. */
  #expected() {
    if (this.#line.size === 0) return 0;
    const history = this.now() - this.#since;
    if (history < LEAST_HISTORY || this.#left === 0) return 0;
    const expected = ((this.#line.size + 1) * history) / this.#left;
    if (history > MOST_HISTORY) {
      this.#since += history / 2;
      this.#left /= 2;
    }
    return expected;
  }
}

module.exports = { Admission, NO_EXECUTIONS };
