import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { Account } from './ceilings/account';
import type { Costs, Reservation } from './ceilings/execution';

/** The resources with which an operation runs one item. */
export interface Run {
  /** The reservation of the item. The node counts the time as used; the operation counts the rest. */
  reserved: Reservation;
  /** The time of the execution, for work whose duration is not known beforehand. */
  time: Account;
  /** Aborted when the execution is stopped. Undefined in n8n below 1.0, where the work runs to its end. */
  signal?: AbortSignal;
  /** How many fan-outs led to this execution, or undefined if that is unknown; see fanOutDepth. */
  fanOutDepth(): number | undefined;
  /** n8n's own helpers. */
  helpers: Pick<IExecuteFunctions['helpers'], 'httpRequest' | 'prepareBinaryData'>;
}

/**
 * One operation of the node. `read` is called for every item before `execute` is called for the first one, so a refused
 * value costs nothing.
 */
export interface Operation<Parameters = unknown> {
  /** The operation's own fields in the editor. */
  properties: INodeProperties[];
  /**
   * Reads one item's parameters.
   * @throws ParameterError that names the value and what is allowed
   */
  read(parameter: (name: string) => unknown): Parameters;
  /** The costs to reserve for the item. Time that is not known beforehand is charged to `Run.time`. */
  costs(parameters: Parameters): Costs;
  /**
   * Does the work of one item. Returns its proof without `operation` and `tookMs`; or, if the output is the work, a list of
   * output items without `pairedItem`.
   */
  execute(parameters: Parameters, run: Run): Promise<IDataObject | INodeExecutionData[]>;
}

/** Hides the type of the parameters, so that all operations fit in one table. */
export function operation<Parameters>(definition: Operation<Parameters>): Operation {
  return definition;
}
