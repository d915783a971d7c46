import { NodeOperationError, type INode } from 'n8n-workflow';

/** The error of one item, as n8n shows it. Its `cause` is `error`. */
export function failureOf(node: INode, error: unknown, itemIndex: number): NodeOperationError {
  const failure = new NodeOperationError(node, error as Error, { itemIndex });
  // n8n replaces a message that contains a code such as ECONNREFUSED with a general text.
  failure.message = (error as Error).message;
  return failure;
}
