'use strict';
/*
 * Collects garbage before the container is full. The expression isolates of running executions are outside V8's heap, but count
 * towards the container's memory limit (values.yaml, overload.requestMegabytes). V8 does not see them, and keeps garbage until its
 * heap reaches its limit. Measured: a container of 2 GiB was OOM-killed with 50 isolates (RSS 1442 MiB with a heap of 394 MiB) and
 * garbage up to a heap limit of 898 MiB (run: `faults --profile small`, main-kill).
 */
const { readFileSync } = require('node:fs');
const { totalmem } = require('node:os');
const { join } = require('node:path');
const { release } = require('./garbage.js');
const log = require('./log.js');

/** Share of the container's memory in use from which garbage is collected. */
const FULL = 0.85;
/** Share from which collections follow each other as soon as allowed, because an OOM kill is near. */
const URGENT = 0.9;
/** Share below which the pause between collections is reset. */
const EASED = 0.75;
/** Milliseconds between two checks. */
const PERIOD = 500;
/** Milliseconds from one collection to the next: at first, and at most. The pause doubles each time. */
const [PAUSE, LONGEST_PAUSE] = [10_000, 60_000];
/** Largest share of time for collections, which block the process (run: 0.2 s for 61 MiB of small objects, Node 24). */
const MOST_OF_TIME = 0.05;
/** Milliseconds after a collection by which its pages are returned to the system. */
const SETTLED_AFTER = 1000;

/** Files of a memory cgroup, version 2 and 1. The page cache, and the kernel's memory for it, can be reclaimed and is not counted. */
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
 * Returns a function that reads the share of the container's memory that is in use and cannot be reclaimed. The share is NaN if it
 * cannot be read. Returns undefined if the memory of this process is not limited.
 * @param root where cgroups are mounted
 * @param own the text of /proc/self/cgroup; inside a container the own cgroup may appear as the root
 */
function shareOfContainer(root = '/sys/fs/cgroup', own = readOwnCgroups()) {
  for (const version of VERSIONS)
    for (const path of [version.entry.exec(own)?.[1], ''].filter((each) => each !== undefined)) {
      const folder = join(root, version.in, path);
      const limit = readMemoryLimit(folder, version);
      if (limit) return () => readUsedMemory(folder, version) / limit;
    }
  return undefined;
}

function readOwnCgroups() {
  try {
    return read('/proc/self/cgroup');
  } catch {
    return '';
  }
}

/** Memory limit in bytes; undefined without a limit, or if it is above the machine's memory. */
function readMemoryLimit(folder, { limit }) {
  try {
    const bytes = Number(read(folder, limit));
    // A container may see its own limit as the memory of the machine.
    return bytes > 0 && bytes <= totalmem() ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Used bytes that cannot be reclaimed; NaN if they cannot be read. */
function readUsedMemory(folder, { usage, file }) {
  try {
    const ofFiles = [...read(folder, 'memory.stat').matchAll(file)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
    return Number(read(folder, usage)) - ofFiles;
  } catch {
    return NaN;
  }
}

const HERE = { now: () => performance.now(), free: release, warn: log.warn };

/** Collects garbage when the container is nearly full. Times are in milliseconds. */
class ContainerMemory {
  /** Share of the container in use without garbage, as far as collections have shown. */
  lived = 0;
  /** Called when a collection has updated `lived`. */
  onLived = () => {};
  /** Lowest share since the last collection. Memory used above it may be garbage. */
  #least = Infinity;
  #wait = PAUSE;
  #soonest = -Infinity;
  #next = -Infinity;
  #settledAt = Infinity;
  #hasWarned = false;

  /** @param share returns the share of the container's memory in use */
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
    // Until the result is known, do not report more than FULL.
    this.lived = Math.min(this.lived, FULL);
    this.#least = Infinity;
    this.#settledAt = now + SETTLED_AFTER;
    this.#soonest = now + Math.min(LONGEST_PAUSE, Math.max(PAUSE, (now - before) / MOST_OF_TIME));
    this.#next = Math.max(this.#soonest, now + this.#wait);
    this.#wait = Math.min(LONGEST_PAUSE, 2 * this.#wait);
  }
}

const share = shareOfContainer();
/** The container of this process. `lived` stays 0 if its memory is not limited. */
const container = new ContainerMemory(share);

/**
 * Starts to check the container twice a second.
 * @returns whether its memory is limited; if not, no check is started
 */
function watchContainer() {
  if (!share) return false;
  setInterval(() => container.look(), PERIOD).unref();
  return true;
}

module.exports = { ContainerMemory, container, shareOfContainer, watchContainer };
