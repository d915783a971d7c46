import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { Account } from './ceilings/account';
import type { Costs, Reservation } from './ceilings/execution';

/** What an operation gets to run one item with. */
export interface Run {
  /** What was reserved for the item. The node counts its time as used; the rest is the operation's to count. */
  reserved: Reservation;
  /** The execution's time, for work whose duration shows only when it is done. */
  time: Account;
  /** Aborted when the execution is stopped; n8n below 1.0 has no such signal, there the work runs to its end. */
  signal?: AbortSignal;
  /** n8n's own. */
  helpers: Pick<IExecuteFunctions['helpers'], 'httpRequest' | 'prepareBinaryData'>;
}

/**
 * One operation of the node. `read` is called for every item before `execute` is called for the first, so that a
 * refused value costs nothing.
 */
export interface Operation<Parameters = unknown> {
  /** The operation's own fields in the editor. */
  properties: INodeProperties[];
  /** Reads one item's parameters. Throws an error that names the value and what is allowed. */
  read(parameter: (name: string) => unknown): Parameters;
  /** What to reserve for the item; what only its execution finds out is drawn from `Run.time`. */
  costs(parameters: Parameters): Costs;
  /**
   * Does the work of one item. Returns its proof, all but `operation` and `tookMs`; or, where the output is the work, a
   * list of output items, all but `pairedItem`.
   */
  execute(parameters: Parameters, run: Run): Promise<IDataObject | INodeExecutionData[]>;
}

/** Binds `Parameters`, so that operations of different parameters fit in one table. */
export function operation<Parameters>(definition: Operation<Parameters>): Operation {
  return definition;
}
