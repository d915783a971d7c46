/**
 * Sums a counter over processes and over restarts: a process that starts again begins at 0, and what it had counted
 * before must not be lost.
 */
export class ResetAwareCounter {
  private readonly last = new Map<string, number>();
  private sum = 0;

  /** Takes the value that `source` shows now. */
  observe(source: string, value: number): void {
    const before = this.last.get(source);
    this.last.set(source, value);
    if (before === undefined) this.sum += value;
    else this.sum += value >= before ? value - before : value;
  }

  /** All that was counted, restarts included. */
  get total(): number {
    return this.sum;
  }
}
