import { NodeOperationError, type INode } from 'n8n-workflow';

/** The error of one item, as n8n shows it. */
export function failureOf(node: INode, error: unknown, itemIndex: number): NodeOperationError {
  const failure = new NodeOperationError(node, error as Error, { itemIndex });
  // n8n puts a general text in place of a message that contains a code such as ECONNREFUSED.
  failure.message = (error as Error).message;
  return failure;
}
