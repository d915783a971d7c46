import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { experimentsFolder } from '../paths.js';
import type { DimensionValue } from 'n8n-capacity';
import type { ExperimentPart } from './schema.js';

/** Folder of the bundled workflows for n8n before this version; capacity/src/provision/load-targets.ts chooses the same. */
const OLDER_WORKFLOWS = { major: 1, minor: 113, folder: 'before-1.113' };
const bundledWorkflows = resolve(experimentsFolder, '..', 'workflows');

/** The file in experiments/workflows if the workload ends with .json; undefined for a bundled workload. */
export const experimentWorkflowFile = (workload: string): string | undefined =>
  workload.endsWith('.json') ? join(experimentsFolder, 'workflows', workload) : undefined;

/** Version of the Webhook node that a cell drives, on which the cost of a request depends. Undefined on a control server. */
export function webhookVersion(part: ExperimentPart, of: Record<string, DimensionValue>): number | undefined {
  if (part.on === 'control') return undefined;
  const workload = String(of.workload ?? part.load.workload ?? '');
  const file =
    part.load.workflow ??
    experimentWorkflowFile(workload) ??
    join(bundledWorkflows, workflowFolder(part, of), `${workload}.json`);
  const { nodes } = JSON.parse(readFileSync(file, 'utf8')) as { nodes: { type: string; typeVersion: number }[] };
  return nodes.find(({ type }) => type === 'n8n-nodes-base.webhook')?.typeVersion;
}

function workflowFolder({ values }: ExperimentPart, of: Record<string, DimensionValue>): string {
  const tag = of.n8n ?? (values.image as { tag?: string } | undefined)?.tag;
  if (tag === undefined) return '.';
  const [major = 0, minor = 0] = String(tag).split('.').map(Number);
  return major < OLDER_WORKFLOWS.major || (major === OLDER_WORKFLOWS.major && minor < OLDER_WORKFLOWS.minor)
    ? OLDER_WORKFLOWS.folder
    : '.';
}
