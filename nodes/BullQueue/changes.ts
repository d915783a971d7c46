import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';
import { ParameterError } from '../shared/parameters';
import type { Opened } from './connections';
import { noJobMessage } from './queue/find';
import { QueueProblem } from './queue/problem';

/**
 * Refuses an operation that changes the queue, if an AI agent calls the node as a tool, or the credential does not allow
 * it.
 * @throws ParameterError
 */
export function refuseChanges(context: IExecuteFunctions, credential: ICredentialDataDecryptedObject): void {
  if (isTool(context)) {
    throw new ParameterError(
      'Operation',
      'This operation changes the queue, so it cannot be used as a tool of an AI agent',
      'Set Operation to one that only reads.',
    );
  }
  if (credential.allowChanges !== true) {
    const field = 'Allow Changes of the credential';
    throw new ParameterError(
      field,
      'This operation changes the queue, and the credential does not allow that',
      `Switch on ${field}.`,
    );
  }
}

/**
 * Refuses to change a queue that is probably not the one of n8n, because its pause would have no effect.
 * @throws QueueProblem
 */
export function refuseOtherQueue({ connection, isNew, warning }: Opened): void {
  if (warning) throw warning;
  if (isNew)
    throw new QueueProblem(
      'no-queue',
      `${noJobMessage(connection)}, so it is probably not the queue of n8n, and nothing was changed`,
      'Check Queue and Prefix, and whether Redis has lost its data. A new n8n has this queue after its first execution.',
    );
}

/**
 * Whether the node runs as a tool. Read in the sources of n8n 1.123.81 and 2.41.1: the type of a node that is connected as a
 * tool ends with "Tool" (`NodeTypes.getByNameAndVersion`). This holds in agents, in the MCP trigger and in n8n's own agents.
 * `isToolExecution` is not enough: 1.123 lacks it, and in 2.41 it is false when an agent lets the engine run
 * the tool (`requests-response.js`), which marks the node with `rewireOutputLogTo`.
 */
function isTool(context: IExecuteFunctions): boolean {
  const { type, rewireOutputLogTo } = context.getNode();
  return type.endsWith('Tool') || rewireOutputLogTo === 'ai_tool' || context.isToolExecution?.() === true;
}
