/** How often the clocks are compared, in milliseconds. */
const EVERY_MS = 500;
/** Two readings of the clocks that are further apart than this, because the process had to wait, say nothing. */
const MOST_BETWEEN_MS = 20;

/** Watches the wall clock of this machine, by which requests, samples and executions are put into seconds. */
export class ClockWatch {
  private difference: number | undefined;
  private jump = 0;
  private readonly timer = setInterval(() => this.look(), EVERY_MS).unref();

  /** From now on, earlier jumps do not count. */
  begin(): void {
    this.look();
    this.jump = 0;
  }

  /** The largest jump since `begin`, in seconds. A clock that is slewed does not jump. */
  jumpSeconds(): number {
    this.look();
    return this.jump / 1000;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Compares the wall clock with the monotonic one, which stands still while the machine is suspended. */
  private look(): void {
    const before = performance.now();
    const wall = Date.now();
    if (performance.now() - before > MOST_BETWEEN_MS) return;
    const difference = wall - before;
    this.jump = Math.max(this.jump, Math.abs(difference - (this.difference ?? difference)));
    this.difference = difference;
  }
}
