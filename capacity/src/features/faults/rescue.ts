import { EnvironmentFault } from '../../core/errors.js';
import type { Rescue } from '../../model/deployment.js';
import { ask, Owner } from '../../provision/owner.js';

/** Scopes that the chart's documentation requires, and those needed to set the tag. */
const SCOPES = [
  ...['workflow:list', 'execution:list', 'execution:read', 'execution:retry'],
  ...['tag:create', 'workflowTags:update'],
];

/**
 * Starts the chart's rescue with an API key of n8n, and gives the workflow under test the tag that its owner would give.
 * @throws EnvironmentFault if n8n gives no API key or no tag, or the rescue does not start
 */
export async function startRescue({ tag, main, start }: Rescue, workflowId: string): Promise<void> {
  const url = await main();
  const key = await (await Owner.of(url)).apiKey(SCOPES);
  const headers = { 'x-n8n-api-key': key };
  const made = await ask<{ id?: string }>(`${url}/api/v1/tags`, { body: { name: tag }, headers });
  if (made.id === undefined) throw new EnvironmentFault(`n8n made no tag ${tag}.`);
  await ask(`${url}/api/v1/workflows/${workflowId}/tags`, { method: 'PUT', body: [{ id: made.id }], headers });
  await start(key);
}
