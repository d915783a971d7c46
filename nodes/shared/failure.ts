import { NodeOperationError, type INode } from 'n8n-workflow';
import { ExplainedError } from './explained';

/** The error of one item, as n8n shows it. Its `cause` is `error`. */
export function toNodeError(node: INode, error: unknown, itemIndex: number): NodeOperationError {
  const { what, description } =
    error instanceof ExplainedError ? error : { what: (error as Error).message, description: undefined };
  const failure = new NodeOperationError(node, error as Error, { itemIndex, description });
  // n8n replaces a message that contains a code such as ECONNREFUSED with a general text, and puts its own text into the
  // description.
  failure.message = what;
  failure.description = description;
  return failure;
}

/** The text of a failed item if the node continues: what happened and what to do. */
export const errorText = (error: unknown): string => (error as Error).message;
