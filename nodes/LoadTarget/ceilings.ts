/**
 * What the node may cost at most, whatever a workflow asks for. The environment of the n8n process can lower these,
 * nothing can raise them.
 */

const SECONDS = { variable: 'N8N_LOAD_TARGET_MAX_SECONDS', highest: 60 };
const MEGABYTES = { variable: 'N8N_LOAD_TARGET_MAX_MEGABYTES', highest: 1024 };

/** Seconds one execution may work, over all its items and Load Target nodes: 60, or less by the environment. */
export const maxSeconds = (): number => fromEnvironment(SECONDS);

/** MiB this process may hold at once, over all its executions: 1024, or less by the environment. */
export const maxMegabytes = (): number => fromEnvironment(MEGABYTES);

/** The ceilings as errors name them. */
export const secondsCeiling = (): string =>
  `the ceiling is ${maxSeconds()} s an execution, ${SECONDS.variable} can lower it`;
export const megabytesCeiling = (): string =>
  `the ceiling is ${maxMegabytes()} MB a process, ${MEGABYTES.variable} can lower it`;

function fromEnvironment({ variable, highest }: { variable: string; highest: number }): number {
  const text = process.env[variable]?.trim();
  if (!text) return highest;
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error(`${variable} is "${text}": must be a number from 0 to ${highest}`);
  return Math.min(Number(text), highest);
}

let heldMegabytes = 0;

/** MiB that this process holds now, over all executions. */
export const megabytesHeld = (): number => heldMegabytes;

/**
 * Runs `work` with `megabytes` reserved of the process's ceiling and gives them back however it ends. Rejects, before
 * any work, when what is held now leaves too little.
 */
export async function withMegabytes<Result>(megabytes: number, work: () => Promise<Result>): Promise<Result> {
  if (heldMegabytes + megabytes > maxMegabytes()) {
    throw new Error(
      `${megabytes} MB asked while this process holds ${heldMegabytes} MB for other executions: ${megabytesCeiling()}`,
    );
  }
  heldMegabytes += megabytes;
  try {
    return await work();
  } finally {
    heldMegabytes -= megabytes;
  }
}

/** The time that one execution has used and promised, against `maxSeconds`. */
export class TimeBudget {
  private usedMs = 0;
  private promisedMs = 0;

  /** Promises `milliseconds` to an item. Throws when the execution has not so much left. */
  reserve(milliseconds: number): TimeGrant {
    if (milliseconds > this.freeMs()) {
      throw new Error(
        `${milliseconds} ms asked, but this execution has used ${Math.ceil(this.usedMs)} ms ` +
          `and promised ${this.promisedMs} ms to other items: ${secondsCeiling()}`,
      );
    }
    this.promisedMs += milliseconds;
    let settled = false;
    return {
      freeMs: () => this.freeMs(),
      spend: (extraMs) => {
        const paid = Math.min(extraMs, this.freeMs());
        this.usedMs += paid;
        return extraMs - paid;
      },
      settle: (used) => {
        if (settled) return;
        settled = true;
        this.promisedMs -= milliseconds;
        if (used) this.usedMs += milliseconds;
      },
    };
  }

  /** Nothing is running on it. */
  get idle(): boolean {
    return this.promisedMs === 0;
  }

  private freeMs(): number {
    return Math.max(0, maxSeconds() * 1000 - this.usedMs - this.promisedMs);
  }
}

/** One item's part of its execution's time. */
export interface TimeGrant {
  /** Milliseconds that the execution has neither used nor promised. */
  freeMs(): number;
  /** Uses milliseconds beyond what was reserved; returns those for which the ceiling has no room. */
  spend(milliseconds: number): number;
  /** Ends the reservation: as used, or given back because the item never ran. */
  settle(used: boolean): void;
}

const REMEMBERED_EXECUTIONS = 10_000;
const budgets = new Map<string, TimeBudget>();

/**
 * The budget of an execution, shared by all its Load Target nodes that run in this process. n8n does not tell a node
 * when an execution ends: the budgets of the last 10,000 executions are kept, the longest unused forgotten first.
 * Without an id (n8n has none for an execution that it does not track) the budget is the node run's alone.
 */
export function budgetOf(executionId: string | undefined): TimeBudget {
  const budget = (executionId && budgets.get(executionId)) || new TimeBudget();
  if (executionId) {
    budgets.delete(executionId);
    budgets.set(executionId, budget);
    for (const [id, oldest] of budgets) {
      if (budgets.size <= REMEMBERED_EXECUTIONS) break;
      if (oldest.idle && oldest !== budget) budgets.delete(id);
    }
  }
  return budget;
}
