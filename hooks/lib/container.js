'use strict';
/*
 * Collects garbage before the container is full. Expression isolates of executions under way are outside V8's heap and share the
 * memory that its limit allows (values.yaml, overload.requestMegabytes). V8 does not see them, and keeps garbage until its heap is at
 * its limit: 50 isolates (RSS 1442 MiB with a heap of 394) beside garbage up to a limit of 898 were killed in a container of 2 GiB
 * (run: `faults --profile small`, main-kill).
 */
const { readFileSync } = require('node:fs');
const { totalmem } = require('node:os');
const { join } = require('node:path');
const { release } = require('./garbage.js');
const log = require('./log.js');

/** Garbage is collected where this share of the container is taken. */
const FULL = 0.85;
/** From this share on, no collection waits longer than it must: the next is an OOM kill. */
const URGENT = 0.9;
/** Below this share the next one waits no longer, either. */
const EASED = 0.75;
/** Milliseconds between two looks. */
const PERIOD = 500;
/** Milliseconds from one collection to the next: at first, and at most, twice as many each time. */
const [PAUSE, LONGEST_PAUSE] = [10_000, 60_000];
/** A collection may take this share of the time: it stops the process (run: 0.2 s for 61 MiB of small objects, Node 24). */
const MOST_OF_TIME = 0.05;
/** Milliseconds after which the pages of a collection have been given back. */
const SETTLED_AFTER = 1000;

/** Files of a memory cgroup: version 2, and 1. What files of its disk take, and the kernel for them, is given back when it is needed. */
const VERSIONS = [
  {
    ...{ entry: /^0::(.*)$/m, in: '', limit: 'memory.max', usage: 'memory.current' },
    file: /^(?:(?:in)?active_file|slab_reclaimable) (\d+)$/gm,
  },
  {
    entry: /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m,
    in: 'memory',
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    file: /^total_(?:in)?active_file (\d+)$/gm,
  },
];

const read = (...path) => readFileSync(join(...path), 'utf8');

/**
 * Returns a function that tells which share of its container's memory is taken and cannot be given back, NaN where it cannot be read;
 * undefined if nothing limits this process.
 * @param root where cgroups are mounted
 * @param own the cgroups of this process; a container may see its own as the root
 */
function shareOfContainer(root = '/sys/fs/cgroup', own = readOwn()) {
  for (const version of VERSIONS)
    for (const path of [version.entry.exec(own)?.[1], ''].filter((each) => each !== undefined)) {
      const folder = join(root, version.in, path);
      const limit = limitOf(folder, version);
      if (limit) return () => usedOf(folder, version) / limit;
    }
  return undefined;
}

function readOwn() {
  try {
    return read('/proc/self/cgroup');
  } catch {
    return '';
  }
}

/** Bytes; undefined where there is no limit, or one above the memory of the machine. */
function limitOf(folder, { limit }) {
  try {
    const bytes = Number(read(folder, limit));
    // A container may see its own limit as the memory of the machine.
    return bytes > 0 && bytes <= totalmem() ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Bytes; NaN where they cannot be read. */
function usedOf(folder, { usage, file }) {
  try {
    const ofFiles = [...read(folder, 'memory.stat').matchAll(file)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
    return Number(read(folder, usage)) - ofFiles;
  } catch {
    return NaN;
  }
}

const HERE = { now: () => performance.now(), free: release, warn: log.warn };

/** Looks whether a container is nearly full, and collects garbage then. Times are in milliseconds. */
class ContainerMemory {
  /** Share of the container that garbage does not take, as far as collections have shown. */
  lived = 0;
  /** Called when a collection has shown it. */
  onLived = () => {};
  /** Least share since the last collection: what is taken later may be garbage. */
  #least = Infinity;
  #wait = PAUSE;
  #soonest = -Infinity;
  #next = -Infinity;
  #settledAt = Infinity;
  #hasWarned = false;

  /** @param share tells which share of the container is taken */
  constructor(share, here = {}) {
    Object.assign(this, { ...HERE, ...here, share });
  }

  look() {
    const [now, share] = [this.now(), this.share()];
    if (Number.isNaN(share)) return;
    this.#least = Math.min(this.#least, share);
    this.lived = Math.min(this.lived, share);
    if (share < EASED) [this.#wait, this.#next] = [PAUSE, this.#soonest];
    if (now >= this.#settledAt) this.#settle();
    if (share >= FULL && now >= (share >= URGENT ? this.#soonest : this.#next)) this.#collect(now);
  }

  #settle() {
    this.#settledAt = Infinity;
    this.lived = this.#least;
    this.onLived();
  }

  #collect(before) {
    if (!this.#hasWarned) this.warn(`${100 * FULL} % of the container's memory is taken; garbage is collected early`);
    this.#hasWarned = true;
    this.free();
    const now = this.now();
    // Until it is known, nothing is concluded from what was before.
    this.lived = Math.min(this.lived, FULL);
    this.#least = Infinity;
    this.#settledAt = now + SETTLED_AFTER;
    this.#soonest = now + Math.min(LONGEST_PAUSE, Math.max(PAUSE, (now - before) / MOST_OF_TIME));
    this.#next = Math.max(this.#soonest, now + this.#wait);
    this.#wait = Math.min(LONGEST_PAUSE, 2 * this.#wait);
  }
}

const share = shareOfContainer();
/** The container of this process; `lived` stays 0 where nothing limits it. */
const container = new ContainerMemory(share);

/**
 * Begins to look at the container twice a second.
 * @returns whether its memory is limited; else there is nothing to look at
 */
function watchContainer() {
  if (!share) return false;
  setInterval(() => container.look(), PERIOD).unref();
  return true;
}

module.exports = { ContainerMemory, container, shareOfContainer, watchContainer };
