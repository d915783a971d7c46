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
const { NODE, collect } = require('./heap.js');

/** Garbage is collected where more than this share of the container is taken, and so that the next collection is a while off. */
const FULL = 0.85;
/** Milliseconds between two looks, and between two collections: at least, and at most where they do not help. */
const PERIOD = 500;
const [PAUSE, LONGEST_PAUSE] = [10_000, 60_000];
/**
 * In Node 24 another collection keeps the pages of the heap for 8 s (run: 356 MiB RSS after one, 65 after one of these). In Node 20
 * options make it one of the young generation alone (run), and pages are given back within a second.
 */
const RELEASE = NODE >= 24 ? { type: 'major', execution: 'sync', flavor: 'last-resort' } : undefined;

/** Files of a memory cgroup: version 2, and 1. What files of its disk take is given back when it is needed. */
const VERSIONS = [
  { entry: /^0::(.*)$/m, in: '', limit: 'memory.max', usage: 'memory.current', file: /^(?:in)?active_file (\d+)$/gm },
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
 * Returns a function that tells which share of its container's memory is taken and cannot be given back; undefined if nothing limits
 * this process.
 * @param root where cgroups are mounted
 * @param own the cgroups of this process; a container may see its own as the root
 */
function shareOfContainer(root = '/sys/fs/cgroup', own = readOwn()) {
  for (const version of VERSIONS)
    for (const path of [version.entry.exec(own)?.[1], ''].filter((each) => each !== undefined)) {
      const folder = join(root, version.in, path);
      const limit = limitOf(folder, version);
      if (limit) return () => (usedOf(folder, version) ?? 0) / limit;
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

/** Bytes; undefined where there is no limit below the memory of the machine. */
function limitOf(folder, { limit }) {
  try {
    const bytes = Number(read(folder, limit));
    return bytes > 0 && bytes < totalmem() ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Bytes; undefined where they cannot be read. */
function usedOf(folder, { usage, file }) {
  try {
    const ofFiles = [...read(folder, 'memory.stat').matchAll(file)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
    return Number(read(folder, usage)) - ofFiles;
  } catch {
    return undefined;
  }
}

const HERE = { now: () => performance.now(), free: () => collect(RELEASE), warn: console.warn };

/**
 * Collects garbage when the container is nearly full; times in milliseconds.
 * @param share of the container that is taken
 */
function watchMemory(share, here = {}, [period, pause, longest] = [PERIOD, PAUSE, LONGEST_PAUSE]) {
  const { now, free, warn } = { ...HERE, ...here };
  let hasWarned = false;
  let [next, wait] = [-Infinity, pause];
  return setInterval(() => {
    if (now() < next || share() < FULL) return;
    if (!hasWarned) warn(`n8n-tuned: ${100 * FULL} % of the container's memory is taken; garbage is collected early`);
    hasWarned = true;
    free();
    wait = share() < FULL ? pause : Math.min(longest, 2 * wait);
    next = now() + wait;
  }, period).unref();
}

/** n8n's `ready` hook of every process. */
function collectInTime() {
  const share = shareOfContainer();
  if (share) watchMemory(share);
}

module.exports = { collectInTime, shareOfContainer, watchMemory };
