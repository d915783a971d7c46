import type { Account } from './ceilings/account';
import { ceilings } from './ceilings/ceiling';
import { now, Slices, within } from '../shared/clock';

/**
 * Charges work to its execution's time as it goes, step by step: for work whose duration shows only when it is done. A
 * step is not interrupted, so that the ceiling is passed by the length of one step at most.
 */
export class Meter {
  private chargedUntil = now();
  private readonly slices: Slices;

  /** Starts now. */
  constructor(
    private readonly time: Account,
    private readonly signal?: AbortSignal,
  ) {
    this.slices = new Slices(signal);
  }

  /**
   * Ends a step and lets others run. Throws when the execution's time is used up, or it was stopped.
   * @param step what was done, for the error: `parsing`
   */
  async pause(step: string): Promise<void> {
    this.charge(step);
    await this.slices.pause();
  }

  /** A step that waits for work of another: for no longer than the time that is left. */
  async wait(work: Promise<unknown>, step: string): Promise<void> {
    await within(this.time.free, this.signal, () => work);
    this.charge(step);
  }

  private charge(step: string): void {
    const end = now();
    const unpaid = this.time.spend(end - this.chargedUntil);
    this.chargedUntil = end;
    if (unpaid > 0) throw new Error(`The execution's time was used up while ${step}: ${ceilings.seconds.text}`);
  }
}
