/** Things that happen at known times, the earliest first; those of the same time in the order in which they were added. */
export class Clock<T> {
  private readonly entries: { at: number; thing: T }[] = [];

  /** When the next thing happens; Infinity without any. */
  get next(): number {
    return this.entries.at(-1)?.at ?? Infinity;
  }

  /** Waits are mostly equal: what is added last mostly happens last, so that it belongs to the beginning of the list. */
  add(at: number, thing: T): void {
    let [low, high] = [0, this.entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.entries[middle]!.at > at) low = middle + 1;
      else high = middle;
    }
    this.entries.splice(low, 0, { at, thing });
  }

  take(): T {
    return this.entries.pop()!.thing;
  }
}
