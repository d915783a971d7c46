'use strict';
/* Visitors that wait, served fairly by path: first in, first out for those of one path. */

class FairQueue {
  /** All, in the order of arrival. */
  #all = new Set();
  /** Those of each path, in the same order. */
  #byPath = new Map();

  get size() {
    return this.#all.size;
  }

  [Symbol.iterator]() {
    return this.#all[Symbol.iterator]();
  }

  /** Whether visitors of a path wait. */
  has(path) {
    return this.#byPath.has(path);
  }

  add(visitor) {
    this.#all.add(visitor);
    const others = this.#byPath.get(visitor.path);
    if (others) others.add(visitor);
    else this.#byPath.set(visitor.path, new Set([visitor]));
  }

  /** @returns whether it was in the queue */
  delete(visitor) {
    if (!this.#all.delete(visitor)) return false;
    const others = this.#byPath.get(visitor.path);
    others.delete(visitor);
    if (others.size === 0) this.#byPath.delete(visitor.path);
    return true;
  }

  /**
   * Who is served next: of those that come first on their path, the one whose path holds the fewest places; of several the first.
   * @param heldBy returns the number of places that a path holds
   * @param mayEnter whether a visitor may be served now
   */
  next(heldBy, mayEnter) {
    let [best, least] = [undefined, Infinity];
    for (const [path, visitors] of this.#byPath) {
      const [first] = visitors;
      if (!mayEnter(first)) continue;
      const held = heldBy(path);
      if (held < least || (held === least && first.since < best.since)) [best, least] = [first, held];
    }
    return best;
  }

  /** How many are served before one that comes now on this path. */
  ahead(path) {
    const own = this.#byPath.get(path)?.size ?? 0;
    let sum = own;
    for (const [other, visitors] of this.#byPath) if (other !== path) sum += Math.min(visitors.size, own + 1);
    return sum;
  }

  /** Who makes room for one that comes on this path: the last one of the path with most, if that has two more; else undefined. */
  lastOfLongest(path) {
    const longest = [...this.#byPath.values()].reduce((a, b) => (b.size > a.size ? b : a), new Set());
    const own = this.#byPath.get(path)?.size ?? 0;
    return longest.size > own + 1 ? [...longest].at(-1) : undefined;
  }
}

module.exports = { FairQueue };
