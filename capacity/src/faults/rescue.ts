import { join } from 'node:path';
import { isRescue, type KubernetesObject } from '../chart/objects.js';
import { EnvironmentFault } from '../core/errors.js';
import { chartFolder } from '../core/paths.js';
import { runLogged } from '../core/run-logged.js';
import { Owner } from '../provision/owner.js';

/**
 * The chart's rescue beside local processes: what its pod runs, with an API key of n8n and the tag at the workflow under test, which
 * its owner would give.
 */

/** The variables of the rescue's pod that have a value in the chart; undefined where the values do not enable it. */
export function rescueSettings(objects: KubernetesObject[]): Record<string, string> | undefined {
  const variables = objects.find(isRescue)?.spec?.template?.spec.containers[0]?.env;
  if (!variables) return undefined;
  return Object.fromEntries(variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
}

/** Those that the chart's documents ask for, and those that give the tag. */
const SCOPES = [
  ...['workflow:list', 'execution:list', 'execution:read', 'execution:retry'],
  ...['tag:create', 'workflowTags:update'],
];

/** What a rescue is started with. */
interface RescueStart {
  settings: Record<string, string>;
  /** Base URL of main. */
  main: string;
  workflowId: string;
  /** File of its output. */
  log: string;
}

/**
 * Starts it.
 * @returns a function that ends it
 * @throws EnvironmentFault if n8n gives no API key or no tag
 */
export async function startRescue({ settings, main, workflowId, log }: RescueStart): Promise<() => Promise<void>> {
  const api = `${main}/api/v1`;
  const key = await (await Owner.of(main)).apiKey(SCOPES);
  const ask = async (method: string, path: string, body: object): Promise<unknown> => {
    const headers = { 'x-n8n-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(`${api}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new EnvironmentFault(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const { id } = (await ask('POST', '/tags', { name: settings.RESCUE_TAG })) as { id: string };
  await ask('PUT', `/workflows/${workflowId}/tags`, [{ id }]);
  const ending = new AbortController();
  const ended = runLogged(process.execPath, [join(chartFolder, 'files', 'rescue', 'main.js')], {
    log,
    signal: ending.signal,
    extendEnv: false,
    // Its metrics are not read, so any free port will do.
    env: { ...settings, N8N_API_URL: api, N8N_API_KEY: key, RESCUE_PORT: '0' },
  }).catch(() => undefined);
  return async () => {
    ending.abort();
    await ended;
  };
}
