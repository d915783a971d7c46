'use strict';
/*
 * How many executions V8's heap holds. The limit of requests is computed from what a usual request takes; payloads, and in
 * queue mode executions that were answered and wait for a worker, may take more, and then V8 ends the process.
 *
 * After each collection of the old generation it is known what lives. If that is more than FULL of the heap's limit, fewer
 * executions may be held than are held now; each collection that finds it full again lowers that further. Below EASED there is
 * no such limit.
 */
const { PerformanceObserver, constants } = require('node:perf_hooks');
const { getHeapStatistics } = require('node:v8');

/** Run: V8 ends a process in which 97 % of the old generation lives, for limits from 100 MiB to 1 GiB (Node 20). */
const FULL = 0.8;
const EASED = 0.65;
const SHRINK = 0.9;

/** @param held the number of executions that are held now */
class HeapLimit {
  /** Most executions that may be held: at least one, so that a heap that only fills does not stop n8n. */
  most = Infinity;

  constructor(held) {
    this.held = held;
  }

  /** A collection has ended, and this share of the heap is in use. */
  onCollected(share) {
    if (share >= FULL) this.most = Math.max(1, Math.floor(SHRINK * Math.min(this.most, this.held())));
    else if (share < EASED) this.most = Infinity;
  }
}

/** The limit of this process. */
function heapLimit(held) {
  const limit = new HeapLimit(held);
  const size = oldGeneration();
  new PerformanceObserver((list) => {
    if (list.getEntries().every(({ detail }) => detail.kind !== constants.NODE_PERFORMANCE_GC_MAJOR)) return;
    limit.onCollected(getHeapStatistics().used_heap_size / size);
  }).observe({ entryTypes: ['gc'] });
  return limit;
}

/** Bytes that the old generation may take. V8's own figure adds the young generation, which holds nothing for long. */
function oldGeneration() {
  const options = [process.env.NODE_OPTIONS, ...process.execArgv].join(' ');
  const given = [...options.matchAll(/--max[-_]old[-_]space[-_]size=(\d+)/g)].at(-1);
  return given ? Number(given[1]) * 2 ** 20 : getHeapStatistics().heap_size_limit;
}

module.exports = { HeapLimit, heapLimit };
