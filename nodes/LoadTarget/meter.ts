import type { Account } from './ceilings/account';
import { CeilingError, ceilings } from './ceilings/ceiling';
import { now, Slices, runWithin } from '../shared/clock';

/**
 * Charges work to the time of its execution, step by step, if its duration is not known beforehand. A step is not
 * interrupted, so the ceiling is exceeded by at most one step.
 */
export class Meter {
  private chargedUntil = now();
  private readonly slices: Slices;

  /** The time starts now. */
  constructor(
    private readonly time: Account,
    private readonly signal?: AbortSignal,
  ) {
    this.slices = new Slices(signal);
  }

  /**
   * Ends a step and lets other work run.
   * @param step name of the step for the error, such as `parsing`
   * @throws CeilingError if the time of the execution is used up, StoppedError if it was stopped
   */
  async pause(step: string): Promise<void> {
    this.charge(step);
    await this.slices.pause();
  }

  /** A step that waits for the work of another execution, for at most the time that is left. */
  async wait(work: Promise<unknown>, step: string): Promise<void> {
    await runWithin(this.time.free, this.signal, () => work);
    this.charge(step);
  }

  private charge(step: string): void {
    const end = now();
    const unpaid = this.time.spend(end - this.chargedUntil);
    this.chargedUntil = end;
    if (unpaid > 0) {
      throw new CeilingError(ceilings.seconds, `The time of the execution was used up while ${step}`);
    }
  }
}
