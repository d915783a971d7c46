'use strict';
/*
 * How many executions V8's heap holds. The limit of requests is computed from what a usual request takes. Payloads, and in
 * queue mode executions that were answered and wait for a worker, may take more, and then V8 ends the process.
 *
 * A collection of the old generation shows what lives in it. If that is more than FULL of its limit, fewer executions may be
 * held than are held now. Later collections raise the limit again; they lift it below EASED, or when it is twice what filled the
 * heap. Forces a collection if V8 has not run one for a while, so that a figure exists. A container that stays nearly full
 * (../../lib/container.js) counts like a full heap: what executions hold outside V8's heap, such as isolates, would else end in an OOM kill.
 */
const { PerformanceObserver, constants } = require('node:perf_hooks');
const { getHeapSpaceStatistics, getHeapStatistics } = require('node:v8');
const { NODE, collect } = require('../../lib/garbage.js');

/** Run: V8 ends a process in which 97 % of the old generation lives, for limits from 100 MiB to 1 GiB (Node 20). */
const FULL = 0.8;
const EASED = 0.65;
/** Share added to FULL for a container: it is full at 90 %. */
const CONTAINER_MARGIN = 0.1;
const SHRINK = 0.9;
const GROW = 1.1;
/** Milliseconds without a collection after which one is forced, while there is a limit. */
const PERIOD = 10_000;
/**
 * Milliseconds without an admission after which the limit ends. The heap then stays full, and a process that refuses everything is
 * worse than one that V8 ends and Kubernetes restarts.
 */
const PATIENCE = 600_000;
/** MiB that V8 reserves for the young generation (run: Node 24; Node 18 to 22). */
const [YOUNG_24, YOUNG] = [192, 48];

class HeapLimit {
  /** Most executions that may be held. */
  most = Infinity;
  /** How many were held when the heap was full. */
  #full = 0;
  #hasGivenUp = false;
  #admitted = 0;
  #progressAt = 0;

  /**
   * @param held returns the number of executions that are held now
   * @param admitted returns how many were ever admitted
   * @param least of executions may always be held: what fills the heap may be something else
   */
  constructor({ held, admitted, least = 1, now = () => performance.now() }) {
    Object.assign(this, { held, admitted, least, now });
  }

  /**
   * A collection has ended, after which this share of the old generation is in use.
   * @param ofContainer share of the container that garbage does not take
   */
  onCollected(ofHeap, ofContainer = 0) {
    const share = Math.max(ofHeap, ofContainer - CONTAINER_MARGIN);
    if (share >= FULL) return this.#lower();
    this.#hasGivenUp = false;
    const grown = Math.ceil(this.most * GROW);
    this.most = share < EASED || grown > 2 * Math.max(this.least, this.#full, this.held()) ? Infinity : grown;
  }

  #lower() {
    if (this.#hasGivenUp) return;
    const [now, admitted] = [this.now(), this.admitted()];
    if (this.most === Infinity || admitted > this.#admitted) this.#progressAt = now;
    this.#admitted = admitted;
    if (now - this.#progressAt >= PATIENCE) {
      this.#hasGivenUp = true;
      this.most = Infinity;
      return;
    }
    this.#full = this.held();
    this.most = Math.min(this.most, Math.max(this.least, Math.floor(SHRINK * this.#full)));
  }
}

/**
 * Follows the collections of this process.
 * @param container as of container.js: the share of it that garbage does not take, and who is told when that was found
 * @param period in milliseconds
 */
function watchHeap(limit, container = { lived: 0 }, period = PERIOD) {
  const size = oldGenerationLimit();
  let [ofHeap, collected] = [0, false];
  let timer;
  const apply = () => {
    limit.onCollected(ofHeap, container.lived);
    if (limit.most === Infinity) timer = clearInterval(timer);
    else timer ??= setInterval(again, period).unref();
  };
  const look = () => {
    collected = true;
    ofHeap = oldGenerationUsed() / size;
    apply();
  };
  const again = () => {
    if (!collected) collect();
    collected = false;
  };
  new PerformanceObserver((list) => {
    if (list.getEntries().some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) look();
  }).observe({ entryTypes: ['gc'] });
  container.onLived = apply;
}

/** Bytes in use in the old generation. It is read after the collection, so that the young one holds new garbage. */
const oldGenerationUsed = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !name.startsWith('new_'))
    .reduce((sum, { space_used_size: used }) => sum + used, 0);

/** Bytes that the old generation may take: as the chart says, or what V8 has chosen. */
function oldGenerationLimit() {
  const options = [process.env.NODE_OPTIONS, ...process.execArgv].join(' ');
  const given = [...options.matchAll(/--max[-_]old[-_]space[-_]size=(\d+)/g)].at(-1);
  if (given) return Number(given[1]) * 2 ** 20;
  const young = NODE >= 24 ? YOUNG_24 : YOUNG;
  return getHeapStatistics().heap_size_limit - young * 2 ** 20;
}

module.exports = { HeapLimit, watchHeap };
