import { Owner } from '../../capacity/src/provision/owner.js';

const SCOPES = [
  ...['workflow:create', 'workflow:read', 'workflow:list', 'workflow:delete', 'workflow:activate'],
  ...['workflow:deactivate', 'credential:create', 'credential:list', 'credential:delete', 'execution:list'],
];

/** Creates the owner of a new n8n; returns an API key. */
export const createApiKey = async (url: string, scopes = SCOPES): Promise<string> =>
  (await Owner.of(url)).apiKey(scopes);

/** Runs a workflow as the button of the editor does; returns the id of the execution. */
export async function runByHand(owner: Owner, workflowId: string, trigger: string): Promise<string> {
  const body = { triggerToStartFrom: { name: trigger } };
  return (await owner.ask<{ executionId: string }>(`workflows/${workflowId}/run`, body)).executionId;
}
