import type { Ceiling } from './ceiling';

/** A part of an account, promised to one item. */
export interface Grant {
  /** Counts `amount` of it as used: all that is left, unless said. Never more than is left. */
  use(amount?: number): void;
  /** Gives back what was not used. */
  close(): void;
}

/** What has been used of one ceiling, and what is promised. The two together never exceed it. */
export class Account {
  private used = 0;
  private promised = 0;
  private openGrants = 0;

  /**
   * @param ceiling what it may come to
   * @param unit    in which it counts
   * @param factor  how many of the unit are one of the ceiling's
   */
  constructor(
    private readonly ceiling: Ceiling,
    private readonly unit: string,
    private readonly factor = 1,
  ) {}

  /** Used so far. */
  get spent(): number {
    return this.used;
  }

  /** Used or promised. */
  get taken(): number {
    return this.used + this.promised;
  }

  /** Neither used nor promised. */
  get free(): number {
    return Math.max(0, this.ceiling.value * this.factor - this.taken);
  }

  /** Nothing is promised. */
  get idle(): boolean {
    return this.openGrants === 0;
  }

  /** Promises `amount`. Throws when so much is not free. */
  reserve(amount: number): Grant {
    if (!(amount >= 0 && amount <= this.free)) {
      throw new Error(
        `${this.show(amount)} asked, but ${this.show(this.taken)} are used or promised already: ${this.ceiling.text}`,
      );
    }
    this.promised += amount;
    this.openGrants += 1;
    let left = amount;
    let open = true;
    return {
      use: (part = left) => {
        const used = Math.min(part, left);
        left -= used;
        this.promised -= used;
        this.used += used;
      },
      close: () => {
        if (!open) return;
        open = false;
        this.openGrants -= 1;
        // Sums of fractions leave a rest.
        this.promised = this.openGrants === 0 ? 0 : this.promised - left;
        left = 0;
      },
    };
  }

  /** Uses `amount` that was not promised; returns the part of it for which there is no room. */
  spend(amount: number): number {
    const paid = Math.min(amount, this.free);
    this.used += paid;
    return amount - paid;
  }

  private show(amount: number): string {
    return `${Math.ceil(amount * 1000) / 1000} ${this.unit}`;
  }
}
