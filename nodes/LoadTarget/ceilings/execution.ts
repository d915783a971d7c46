import { Account, type Grant } from './account';
import { ceilings } from './ceiling';

const RESOURCES = ['time', 'inputItems', 'payload', 'items', 'requests'] as const;
type Resource = (typeof RESOURCES)[number];

/** Costs of an item for its execution: milliseconds, input items, MB and items of payload, requests. 0 by default. */
export type Costs = Partial<Record<Resource, number>>;

/** The grants that are reserved for an item. */
export interface Reservation extends Record<Resource, Grant> {
  /** Returns what the item did not use. */
  close(): void;
}

/** The remaining budget of one execution, over all its items and Load Target nodes. */
export class ExecutionBudget implements Record<Resource, Account> {
  readonly time = new Account(ceilings.seconds, 'ms', 1000);
  readonly inputItems = new Account(ceilings.inputItems, 'input items');
  readonly payload = new Account(ceilings.payloadMegabytes, 'MB');
  readonly items = new Account(ceilings.payloadItems, 'items');
  readonly requests = new Account(ceilings.requests, 'requests');

  /**
   * Reserves all of `costs`.
   * @throws CeilingError, and reserves nothing, if one of them is not free
   */
  reserve(costs: Costs): Reservation {
    const grants = {} as Record<Resource, Grant>;
    const close = () => Object.values(grants).forEach((grant) => grant.close());
    let complete = false;
    try {
      for (const resource of RESOURCES) grants[resource] = this[resource].reserve(costs[resource] ?? 0);
      complete = true;
    } finally {
      if (!complete) close();
    }
    return { ...grants, close };
  }

  /** Whether nothing is reserved. */
  get idle(): boolean {
    return RESOURCES.every((resource) => this[resource].idle);
  }
}

const REMEMBERED_EXECUTIONS = 10_000;
const budgets = new Map<string, ExecutionBudget>();

/**
 * The budget of an execution, shared by all its Load Target nodes that run in this process. n8n does not tell a node when
 * an execution ends, so the budgets of the last 10,000 executions are kept, and the longest unused is forgotten first.
 * Without an id (n8n has none for an execution that it does not track) the budget is used for this node run only.
 */
export function findBudget(executionId: string | undefined): ExecutionBudget {
  const budget = (executionId && budgets.get(executionId)) || new ExecutionBudget();
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
