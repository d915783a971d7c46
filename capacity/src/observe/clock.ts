/** Milliseconds between two comparisons of the clocks. */
const PERIOD_MS = 500;
/** Milliseconds between the readings of the two clocks at most: a comparison that took longer is discarded. */
const MAX_BETWEEN_MS = 20;

/** Detects jumps of this machine's wall clock, by which requests, samples and executions are assigned to seconds. */
export class ClockWatch {
  private difference: number | undefined;
  private jump = 0;
  private readonly timer = setInterval(() => this.compareClocks(), PERIOD_MS).unref();

  /** Starts a measurement: earlier jumps do not count. */
  begin(): void {
    this.compareClocks();
    this.jump = 0;
  }

  /** The largest jump since `begin`, in seconds. A clock that is slewed does not jump. */
  jumpSeconds(): number {
    this.compareClocks();
    return this.jump / 1000;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Compares the wall clock with the monotonic one, which stands still while the machine is suspended. */
  private compareClocks(): void {
    const before = performance.now();
    const wall = Date.now();
    if (performance.now() - before > MAX_BETWEEN_MS) return;
    const difference = wall - before;
    this.jump = Math.max(this.jump, Math.abs(difference - (this.difference ?? difference)));
    this.difference = difference;
  }
}
