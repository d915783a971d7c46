import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { QueueConnection } from './queue/connection';

/** The input of an operation for one run, which is for one item or for all of them. */
export interface Run {
  connection: QueueConnection;
  /** No job was ever added to the queue. */
  isNew: boolean;
  /** Opens a new connection in place of a lost one. Rejects with QueueProblem. */
  reconnect: () => Promise<{ connection: QueueConnection; isNew: boolean }>;
  /** The execution that runs the node. In queue mode the data of its own job holds the same ids. */
  execution: { id?: string; workflowId?: string };
  /** The JSON of the input items of this run: one item, or all of them if the operation takes all. */
  items: IDataObject[];
  /** Aborted when the execution is stopped. Undefined in n8n below 1.0, where the work runs to its end. */
  signal?: AbortSignal;
}

/** One operation of the node. It changes nothing in Redis, unless it has `changes`. */
export interface Operation<Parameters = unknown> {
  /** The operation's own fields in the editor. */
  properties: INodeProperties[];
  /** Present if the operation changes the queue. The node then checks that it is allowed. */
  changes?: true;
  /** Present if all input items are one piece of work. The parameters are then those of the first item. */
  takesAllItems?: true;
  /**
   * Reads one item's parameters.
   * @throws ParameterError that names the value and what is allowed
   */
  read(parameter: (name: string) => unknown): Parameters;
  /**
   * Returns the output items of one run.
   * @throws QueueProblem if Redis fails, StoppedError if the execution was stopped
   */
  execute(parameters: Parameters, run: Run): Promise<IDataObject[]>;
}

/** Hides the type of the parameters, so that all operations fit in one table. */
export function operation<Parameters>(definition: Operation<Parameters>): Operation {
  return definition;
}
