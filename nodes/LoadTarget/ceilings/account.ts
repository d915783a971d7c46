import { CeilingError, type Ceiling } from './ceiling';

/** A part of an account, reserved for one item. */
export interface Grant {
  /** Counts `amount` of it as used, by default all that is left, and never more than is left. */
  use(amount?: number): void;
  /** Returns what was not used. */
  close(): void;
}

/** How much of one ceiling is used and how much is reserved. Together they never exceed it. */
export class Account {
  private used = 0;
  private reserved = 0;
  private openGrants = 0;

  /**
   * @param ceiling upper bound
   * @param unit    unit of the account
   * @param factor  how many of this unit are one of the ceiling's
   */
  constructor(
    private readonly ceiling: Ceiling,
    private readonly unit: string,
    private readonly factor = 1,
  ) {}

  /** Amount used so far. */
  get spent(): number {
    return this.used;
  }

  /** Amount used or reserved. */
  get taken(): number {
    return this.used + this.reserved;
  }

  /** Amount neither used nor reserved. */
  get free(): number {
    return Math.max(0, this.ceiling.value * this.factor - this.taken);
  }

  /** Whether nothing is reserved. */
  get idle(): boolean {
    return this.openGrants === 0;
  }

  /**
   * Reserves `amount`.
   * @throws CeilingError if less is free
   */
  reserve(amount: number): Grant {
    if (!(amount >= 0 && amount <= this.free)) {
      throw new CeilingError(
        this.ceiling,
        `${this.show(amount)} requested, but ${this.show(this.taken)} are already used or reserved`,
        { requested: amount, taken: this.taken },
      );
    }
    this.reserved += amount;
    this.openGrants += 1;
    let left = amount;
    let open = true;
    return {
      use: (part = left) => {
        const used = Math.min(part, left);
        left -= used;
        this.reserved -= used;
        this.used += used;
      },
      close: () => {
        if (!open) return;
        open = false;
        this.openGrants -= 1;
        // Sums of fractions leave a small remainder.
        this.reserved = this.openGrants === 0 ? 0 : this.reserved - left;
        left = 0;
      },
    };
  }

  /** Uses `amount` that was not reserved. Returns the part of it for which there is no room. */
  spend(amount: number): number {
    const paid = Math.min(amount, this.free);
    this.used += paid;
    return amount - paid;
  }

  private show(amount: number): string {
    return `${Math.ceil(amount * 1000) / 1000} ${this.unit}`;
  }
}
