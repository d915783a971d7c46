/** Things that happen at known times, the earliest first. Those of the same time keep the order in which they were added. */
export class Clock<T> {
  private readonly entries: { at: number; thing: T }[] = [];

  /** Time at which the next thing happens; Infinity if there is none. */
  get next(): number {
    return this.entries.at(-1)?.at ?? Infinity;
  }

  /** Adds a thing. The list is sorted latest first, and waits are mostly equal, so a new thing mostly goes to its beginning. */
  add(at: number, thing: T): void {
    let [low, high] = [0, this.entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.entries[middle]!.at > at) low = middle + 1;
      else high = middle;
    }
    this.entries.splice(low, 0, { at, thing });
  }

  takeNext(): T {
    return this.entries.pop()!.thing;
  }
}
