/**
 * Sums a counter over processes, those that have ended included: a process that is started again is another source, which
 * begins at 0, and what the one before had counted is not lost.
 */
export class CounterSum {
  private readonly highest = new Map<string, number>();

  /** Takes the value that `source` (an instance and its process id) shows now. */
  observe(source: string, value: number): void {
    this.highest.set(source, Math.max(value, this.highest.get(source) ?? 0));
  }

  /** All that was counted. */
  get total(): number {
    return [...this.highest.values()].reduce((sum, value) => sum + value, 0);
  }
}

/** What a counter has gone up by since it was first seen, over its resets: after one it counts from 0. */
export class Increase {
  private last: number | undefined;
  total = 0;

  observe(value: number): void {
    if (this.last !== undefined) this.total += value >= this.last ? value - this.last : value;
    this.last = value;
  }
}
