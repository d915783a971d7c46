import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { QueueConnection } from './queue/connection';

/** What an operation gets to run one item with. */
export interface Run {
  connection: QueueConnection;
  /** The execution that runs the node, as it stands in the data of its own job when n8n is in queue mode. */
  execution: { id?: string; workflowId?: string };
  /** Aborted when the execution is stopped; n8n below 1.0 has no such signal, there the work runs to its end. */
  signal?: AbortSignal;
}

/** One operation of the node. None changes anything in Redis. */
export interface Operation<Parameters = unknown> {
  /** The operation's own fields in the editor. */
  properties: INodeProperties[];
  /** Reads one item's parameters. Throws an error that names the value and what is allowed. */
  read(parameter: (name: string) => unknown): Parameters;
  /** Returns the output items of one item. Throws QueueProblem when Redis fails, StoppedError when stopped. */
  execute(parameters: Parameters, run: Run): Promise<IDataObject[]>;
}

/** Binds `Parameters`, so that operations of different parameters fit in one table. */
export function operation<Parameters>(definition: Operation<Parameters>): Operation {
  return definition;
}
