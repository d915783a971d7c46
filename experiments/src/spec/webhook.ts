import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { experimentsFolder } from '../paths.js';
import type { DimensionValue } from 'n8n-capacity';
import type { ExperimentPart } from './schema.js';

/** Folder of the bundled workflows for n8n before this version; capacity/src/provision/load-targets.ts chooses the same. */
const OLDER = { major: 1, minor: 113, folder: 'before-1.113' };
const bundled = resolve(experimentsFolder, '..', 'workflows');

/** The file in experiments/workflows if the workload ends with .json; undefined for a bundled workload. */
export const workflowFileOf = (workload: string): string | undefined =>
  workload.endsWith('.json') ? join(experimentsFolder, 'workflows', workload) : undefined;

/** Version of the Webhook node that a cell drives, on which the cost of a request depends. Undefined on a control server. */
export function webhookVersion(part: ExperimentPart, of: Record<string, DimensionValue>): number | undefined {
  if (part.on === 'control') return undefined;
  const workload = String(of.workload ?? part.load.workload ?? '');
  const file = part.load.workflow ?? workflowFileOf(workload) ?? join(bundled, lineOf(part, of), `${workload}.json`);
  const { nodes } = JSON.parse(readFileSync(file, 'utf8')) as { nodes: { type: string; typeVersion: number }[] };
  return nodes.find(({ type }) => type === 'n8n-nodes-base.webhook')?.typeVersion;
}

function lineOf({ values }: ExperimentPart, of: Record<string, DimensionValue>): string {
  const tag = of.n8n ?? (values.image as { tag?: string } | undefined)?.tag;
  if (tag === undefined) return '.';
  const [major = 0, minor = 0] = String(tag).split('.').map(Number);
  return major < OLDER.major || (major === OLDER.major && minor < OLDER.minor) ? OLDER.folder : '.';
}
