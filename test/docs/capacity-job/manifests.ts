import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterRole, PolicyRule } from 'kubernetes-types/rbac/v1.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../chart/render.js';

export const root = join(import.meta.dirname, '../../..');

const page = readFileSync(join(root, 'docs/capacity-job.md'), 'utf8');
const blocks = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, block]) =>
  parseAllDocuments(block!, { strict: true }).map((document) => document.toJS({ mapAsMap: false })),
);

/** The objects of the page: the Job that loads an existing n8n, and the Job that deploys one, with its account. */
export const [loads = [], deploys = []] = blocks;

export const findJob = (objects: Manifest[]): Job => objects.find(({ kind }) => kind === 'Job') as Job;
export const jobContainer = (objects: Manifest[]) => findJob(objects).spec!.template.spec!.containers[0]!;

const { rules } = deploys.find(({ kind }) => kind === 'ClusterRole') as Required<ClusterRole>;

/** Whether the role of the deploying Job allows a verb, by the rules of RBAC. */
export const isAllowed = (verb: string, group: string, resource: string): boolean =>
  rules.some(
    (rule) =>
      rule.verbs.includes(verb) && (rule.apiGroups ?? []).includes(group) && (rule.resources ?? []).includes(resource),
  );

/** The permissions of a rule that the role lacks, as `verb group/resource`. An account can grant only what it has. */
export const missingPermissions = ({ verbs, apiGroups = [], resources = [] }: PolicyRule): string[] =>
  verbs.flatMap((verb) =>
    apiGroups.flatMap((group) =>
      resources
        .filter((resource) => !isAllowed(verb, group, resource))
        .map((resource) => `${verb} ${group}/${resource}`),
    ),
  );
