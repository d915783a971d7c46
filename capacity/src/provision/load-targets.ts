import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import { workflowsFolder } from '../core/paths.js';
import { catalogue } from '../plan/workloads.js';
import type { Imports } from './n8n-import.js';

/** The credential that every load target's webhook checks; `workflows/*.json` contain the same id. */
export const CREDENTIAL = { id: '2000000000000001', name: 'n8n-tuned load target', header: 'x-load-target-token' };

/**
 * The first n8n that knows every node version in `workflows/`, as every n8n 2.x does (read: n8n-nodes-base 1.106 to 2.41).
 * `charts/n8n-tuned/templates/load-targets/_load-targets.tpl` has the same number.
 */
const NEWEST_FORM_SINCE = '1.113.0';

/**
 * The folder of the load targets in the newest node versions that this n8n knows. The version of the Webhook node matters
 * most: n8n 2.x takes an isolate for each request of version 1.
 * @param version of n8n; undefined: not known, taken for today's
 */
export const loadTargetsFolder = (version: string | undefined): string =>
  version === undefined || semver.gte(version, NEWEST_FORM_SINCE)
    ? workflowsFolder
    : join(workflowsFolder, `before-${semver.major(NEWEST_FORM_SINCE)}.${semver.minor(NEWEST_FORM_SINCE)}`);

/**
 * These load targets as this n8n takes them, with their sub-workflows and the credential that they check.
 * @param version of n8n; undefined: not known, taken for today's
 */
export async function loadTargets(names: string[], token: string, version: string | undefined): Promise<Imports> {
  const known = catalogue();
  const all = new Set([...names.flatMap((name) => known.get(name)?.subWorkflows ?? []), ...names]);
  const folder = loadTargetsFolder(version);
  const workflows = await Promise.all(
    [...all].map(async (name) => {
      const text = await readFile(join(folder, `${name}.json`), 'utf8');
      return JSON.parse(text) as Imports['workflows'][number];
    }),
  );
  const data = { name: CREDENTIAL.header, value: token };
  return { workflows, credentials: [{ id: CREDENTIAL.id, name: CREDENTIAL.name, type: 'httpHeaderAuth', data }] };
}
