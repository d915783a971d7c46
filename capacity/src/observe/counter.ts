/**
 * Sums a counter over processes, including those that have ended. A restarted process is a new source that begins at 0; the
 * count of the previous process is kept.
 */
export class CounterSum {
  private readonly highest = new Map<string, number>();

  /** Records the current value of `source` (an instance and its process id). */
  observe(source: string, value: number): void {
    this.highest.set(source, Math.max(value, this.highest.get(source) ?? 0));
  }

  /** The sum over all sources. */
  get total(): number {
    return [...this.highest.values()].reduce((sum, value) => sum + value, 0);
  }
}

/** The increase of a counter since its first value. A lower value is a reset: the counter began again at 0. */
export class CounterIncrease {
  private last: number | undefined;
  total = 0;

  observe(value: number): void {
    if (this.last !== undefined) this.total += value >= this.last ? value - this.last : value;
    this.last = value;
  }
}
