import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { TimeGrant } from './ceilings';

/** What an operation gets to run one item with. */
export interface Run {
  /** The item's part of the execution's time ceiling. */
  time: TimeGrant;
  /** Aborted when the execution is stopped; n8n below 1.0 has no such signal, there the work runs to its end. */
  signal?: AbortSignal;
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
  /** Milliseconds to reserve for the item; what only its execution finds out is drawn from `Run.time`. */
  milliseconds(parameters: Parameters): number;
  /** Does the work of one item and returns its proof, all but `operation` and `tookMs`. */
  execute(parameters: Parameters, run: Run): Promise<IDataObject>;
}

/** Binds `Parameters`, so that operations of different parameters fit in one table. */
export function operation<Parameters>(definition: Operation<Parameters>): Operation {
  return definition;
}
