'use strict';
/*
 * Admission: how many requests to production paths n8n works on at once. Without it, n8n takes every request that arrives;
 * each holds memory until it is answered, so a burst can end in an OOM kill (docs/overload.md).
 *
 * At most `most` requests are under way. The next ones wait in a line, which is served fairly by path (queue.js). All others are
 * answered at once with 503 and Retry-After. A tenth more places are reserved for paths that hold few places, so that no path holds
 * all. A request may take a reserved place if its path holds fewer places than are left. A single active path may use the whole limit.
 *
 * In regular mode an execution that goes on after its answer counts, too, since it holds memory in this process; in queue mode one whose
 * client has gone, since it holds the slot of a worker (guard.js). Fewer are taken where V8's heap is full all the same (heap.js), and
 * where fewer at once serve as many (concurrency.js, latency.js). A request that resumes an execution may exceed the limit a little:
 * others may have places until it has come. Requests and executions that never end would keep their places: when nothing was admitted
 * for PATIENCE although requests came, those that are older no longer count.
 *
 * It knows neither HTTP (guard.js) nor n8n (executions.js).
 */

const { AsyncResource } = require('node:async_hooks');
const { FairQueue } = require('./queue.js');

/** More places than the limit, as a share of it, for requests that resume an execution (at least two) and of other paths (one). */
const SPARE = 0.1;
const [LEAST_SPARE, LEAST_KEPT] = [2, 1];
/** Milliseconds between two checks of the line for requests that waited too long and for executions that have ended. */
const LOOK = 50;
/** Milliseconds of departures from which the waiting time is predicted: at least, and about at most. */
const LEAST_HISTORY = 1000;
const MOST_HISTORY = 10_000;
/**
 * The line is for short bursts. A line that does not empty only delays every answer (a standing queue; CoDel limits it the same
 * way). So once there has been a line for STANDING milliseconds, a request waits at most STANDING_SHARE of the longest wait. The
 * time begins when more than FEW requests wait, or when one is refused. A shorter line is normal: arrivals are uneven.
 */
const STANDING = 5000;
const FEW = 10;
const STANDING_SHARE = 0.25;
/** Milliseconds. A process that refuses everything is worse than one that may run out of memory and start again. */
const PATIENCE = 600_000;
/** Share of the limit up to which requests do not delay each other, and the number of requests in the mean of their times. */
const QUIET = 0.25;
const MOST_QUIET = 50;
/** Seconds of Retry-After: at least, at least for a full heap, and at most. Random jitter spreads clients refused together. */
const LEAST_RETRY = 1;
const HEAP_RETRY = 5;
const MOST_RETRY = 30;

const NO_EXECUTIONS = { all: 0, answered: 0, held: 0, of: new Map() };

/** Decides which requests (visitors) enter, wait or are refused. Independent of HTTP. Times are in milliseconds. */
class Admission {
  admitted = 0;
  /** Admitted visitors that do not resume an execution. */
  begun = 0;
  /** Visitors that left with their answer. */
  served = 0;
  /** Shortest time for which an execution was under way; and the mean of those with little beside them, and their number. */
  #quickest = Infinity;
  #quiet = { mean: 0, count: 0 };
  refused = { line: 0, wait: 0, heap: 0, ending: 0 };
  /** Most executions and requests that the heap may hold (heap.js). */
  heap = { most: Infinity };
  /** The adaptive limit of requests under way while there is a line (concurrency.js, latency.js). */
  concurrency = { most: Infinity, onLine() {} };
  /** Called with the milliseconds that a visitor waited, when it is admitted. */
  onWait = () => {};
  /** Called with the number of requests or executions that no longer count, as they held all places for too long. */
  onStuck = () => {};
  #ending = false;
  /** Visitors under way, and their number by path. */
  #inside = new Set();
  #openOf = new Map();
  /** When the last one was refused. */
  #refusedAt = -Infinity;
  /** When refusals began without an admission below the limit since; undefined otherwise. */
  #refusingSince;
  /** Executions that began before this time no longer count. */
  #countedSince = -Infinity;
  /** Of { enter, refuse, resumes, path, since }. */
  #line = new FairQueue();
  /** When a crowd began: the line exceeded FEW, or a visitor was refused. Undefined without a crowd. */
  #crowdSince;
  /** How many left since then; see #expected. */
  #since = 0;
  #left = 0;
  #timer;

  /**
   * @param executions returns those of webhooks in this process: `all` that began at a time or later and go on, and `answered` of
   *   them, as far as n8n tells; `of`, both by the path that started them, where it is known; `held` in its memory, whenever they
   *   began, and those that go on elsewhere included
   */
  constructor({ most, line, longest, executions = () => NO_EXECUTIONS, now = () => performance.now() }) {
    Object.assign(this, { most, line, longest, executions, now });
  }

  get waiting() {
    return this.#line.size;
  }

  /** Visitors under way. */
  get open() {
    return this.#inside.size;
  }

  /** Open requests and executions that go on after their answer; or all executions, where there are more. */
  get underWay() {
    const { all, answered } = this.executions(this.#countedSince);
    return Math.max(this.open + answered, all);
  }

  /**
   * Requests that there are or would be under way, and those that wait. While the adaptive limit keeps places empty, they
   * count: there is more to do than this process can.
   */
  get demand() {
    const underWay = this.concurrency.most < this.most ? Math.max(this.most, this.underWay) : this.underWay;
    return underWay + this.waiting;
  }

  /** Requests or executions in memory, whichever are more. */
  get held() {
    return Math.max(this.open, this.executions(this.#countedSince).held);
  }

  /**
   * A visitor arrives.
   * @param enter called now or later, with a function that it must call when it leaves: whether it has its answer, whether
   *   that is the answer of an execution, and whether that tells how long executions take
   * @param refuse called, with the seconds after which it may try again and the reason, if it may not enter
   * @param resumes whether others may be under way until it has come
   * @param path with whose visitors it shares places; no path holds all
   * @returns a function that takes a visitor that went away out of the line
   */
  arrive(enter, refuse, { resumes = false, path = '' } = {}) {
    const visitor = { enter, refuse, resumes, path, since: this.now() };
    this.#losePatience(visitor.since);
    if (this.#ending) this.#refuse(visitor, 'ending');
    // Refused at once: the heap stays full for longer than a request may wait.
    else if (!resumes && this.#heapIsFull()) this.#refuse(visitor, 'heap');
    else if (this.#mayEnter(visitor)) this.#admit(visitor);
    else this.#waitOrRefuse(visitor);
    return () => this.#line.delete(visitor);
  }

  /** Waiting visitors are served first. Visitors of one path keep their order, unless they resume an execution. */
  #mayEnter(visitor) {
    this.#advance();
    return (visitor.resumes || !this.#line.has(visitor.path)) && this.#hasRoom(visitor);
  }

  /** In a full line, a visitor replaces one whose path has more visitors waiting, if there is one. */
  #waitOrRefuse(visitor) {
    const isFull = this.#line.size >= this.line;
    const last = isFull ? this.#line.lastOfLongest(visitor.path) : undefined;
    if (isFull && !last) return this.#refuse(visitor, 'line');
    if (this.#expected(visitor.path) > this.#allowed()) return this.#refuse(visitor, 'wait');
    if (last) this.#refuse(last, 'line');
    this.#join(visitor);
  }

  /** Refuses all waiting and later visitors, because the process is stopping. */
  end() {
    this.#ending = true;
    for (const visitor of this.#line) this.#refuse(visitor, 'ending');
  }

  #losePatience(now) {
    if (!(now - this.#refusingSince >= PATIENCE)) return;
    this.#refusingSince = now;
    const before = this.executions(this.#countedSince).all;
    // They began while there was room, a little before they were counted.
    this.#countedSince = now - PATIENCE / 2;
    const stuck = before - this.executions(this.#countedSince).all;
    const old = [...this.#inside].filter(({ admittedAt }) => now - admittedAt >= PATIENCE);
    const count = Math.max(stuck, old.length);
    if (count > 0) this.onStuck(count);
    for (const { leave } of old) leave(false);
  }

  #heapIsFull() {
    // Counting takes time, and is unnecessary while the heap has no limit.
    return this.heap.most !== Infinity && this.held >= this.heap.most;
  }

  get #limit() {
    return Math.ceil(Math.min(this.most, this.concurrency.most));
  }

  /**
   * Whether there is a place for a visitor: below the limit, or one of those beyond it, which are kept for paths that hold few. All
   * that resume an execution share a path, and may hold as many as are kept, however many are left: others may wait for them.
   */
  #hasRoom({ resumes, path }) {
    const spare = Math.max(resumes ? LEAST_SPARE : LEAST_KEPT, Math.ceil(SPARE * this.#limit));
    const left = this.#limit + spare - this.underWay;
    if (left > spare) return true;
    return left > 0 && this.#heldBy(path) < (resumes ? Math.max(left, spare) : left);
  }

  /** Places that the visitors of a path hold, and executions that they started and that go on. */
  #heldBy(path) {
    const { all = 0, answered = 0 } = this.executions(this.#countedSince).of?.get(path) ?? {};
    return Math.max((this.#openOf.get(path) ?? 0) + answered, all);
  }

  #count(path, change) {
    const open = (this.#openOf.get(path) ?? 0) + change;
    if (open > 0) this.#openOf.set(path, open);
    else this.#openOf.delete(path);
  }

  #admit(visitor) {
    // An admission to a reserved place does not show that the other places are moving.
    const endsRefusals = this.#refusingSince !== undefined && !visitor.resumes && this.underWay < this.#limit;
    this.#line.delete(visitor);
    this.#inside.add(visitor);
    this.#count(visitor.path, 1);
    this.admitted++;
    if (!visitor.resumes) this.begun++;
    if (endsRefusals) this.#refusingSince = undefined;
    visitor.admittedAt = this.now();
    visitor.isQuiet = this.#isQuiet();
    this.onWait(visitor.admittedAt - visitor.since);
    visitor.leave = (isServed = true, isExecution = isServed, isTelling = isExecution) => {
      if (!this.#inside.has(visitor)) return;
      if (isTelling) this.#learn(this.now() - visitor.admittedAt, visitor.isQuiet && this.#isQuiet());
      this.#inside.delete(visitor);
      this.#count(visitor.path, -1);
      if (isServed) this.served++;
      if (isExecution || !isServed) this.concurrency.onLeft?.(visitor.admittedAt);
      this.#left++;
      this.#advance();
    };
    visitor.enter(visitor.leave);
  }

  #isQuiet() {
    return this.#line.size === 0 && this.concurrency.most >= this.most && this.underWay <= QUIET * this.most;
  }

  #learn(time, isQuiet) {
    this.#quickest = Math.min(this.#quickest, time);
    if (!isQuiet) return;
    const count = Math.min(MOST_QUIET, this.#quiet.count + 1);
    this.#quiet = { mean: this.#quiet.mean + (time - this.#quiet.mean) / count, count };
  }

  /** Milliseconds for which a visitor is under way while there is little to do; at least the shortest time, 0 before any. */
  get #unloaded() {
    return Math.max(Number.isFinite(this.#quickest) ? this.#quickest : 0, this.#quiet.mean);
  }

  /** Mean milliseconds since the admission of the visitors under way. */
  get #age() {
    let sum = 0;
    for (const { admittedAt } of this.#inside) sum += admittedAt;
    return this.open === 0 ? 0 : this.now() - sum / this.open;
  }

  #refuse(visitor, reason) {
    this.#line.delete(visitor);
    this.refused[reason]++;
    this.#refusedAt = this.now();
    this.#refusingSince ??= this.#refusedAt;
    if (this.#line.size > 0) this.#crowdSince ??= this.#refusedAt;
    const wait = this.#expected(visitor.path);
    const least = reason === 'heap' ? HEAP_RETRY : LEAST_RETRY;
    const soonest = Math.max(least, Math.ceil((Number.isFinite(wait) ? wait : 0) / 1000));
    const seconds = Math.floor(soonest + Math.random() * (least + 1));
    visitor.refuse(Math.min(MOST_RETRY, seconds), reason);
  }

  #join(visitor) {
    if (this.#line.size === 0) {
      this.#since = visitor.since;
      this.#left = 0;
    }
    // Otherwise it would be traced as part of the request whose departure admits it.
    visitor.enter = AsyncResource.bind(visitor.enter);
    this.#line.add(visitor);
    if (this.#line.size > FEW) this.#crowdSince ??= visitor.since;
    this.#timer ??= setInterval(() => this.#look(), LOOK).unref();
  }

  #advance() {
    while (this.#line.size > 0) {
      const isFull = this.#heapIsFull();
      const visitor = this.#line.next(
        (path) => this.#heldBy(path),
        ({ resumes }) => resumes || !isFull,
      );
      // Its path holds the fewest places. If it has no room, no other visitor has.
      if (!visitor || !this.#hasRoom(visitor)) return;
      this.#admit(visitor);
    }
  }

  #look() {
    this.#advance();
    for (const visitor of this.#line) {
      if (this.now() - visitor.since < this.#allowed()) break;
      this.#refuse(visitor, 'wait');
    }
    if (this.#line.size > 0) {
      const { underWay, waiting, served } = this;
      const ended = this.admitted - this.open;
      const isCrowd = this.#crowdSince !== undefined;
      const [unloaded, age, refusedAt] = [this.#unloaded, this.#age, this.#refusedAt];
      return this.concurrency.onLine({ underWay, waiting, isCrowd, ended, served, unloaded, age, refusedAt });
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#crowdSince = undefined;
  }

  /** Milliseconds for which a visitor may wait now. */
  #allowed() {
    const isStanding = this.now() - this.#crowdSince > STANDING;
    return isStanding ? this.longest * STANDING_SHARE : this.longest;
  }

  /** Milliseconds that the next visitor of a path would wait, at the rate at which visitors left of late; 0 if that is not known yet. */
  #expected(path) {
    if (this.#line.size === 0) return 0;
    const history = this.now() - this.#since;
    if (history < LEAST_HISTORY || this.#left === 0) return 0;
    const expected = ((this.#line.ahead(path) + 1) * history) / this.#left;
    if (history > MOST_HISTORY) {
      this.#since += history / 2;
      this.#left /= 2;
    }
    return expected;
  }
}

module.exports = { Admission, NO_EXECUTIONS };
