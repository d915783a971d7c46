import { UsageError } from '../core/errors.js';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readJson } from './read-json.js';

/** A node's reference to a credential. Exports of n8n 0.x have only its name. */
const CredentialReference = z.union([
  z.object({ id: z.string().nullish(), name: z.string().optional() }),
  z.string().transform((name): { id?: string | null; name?: string } => ({ name })),
]);

/** The fields of a node that are read; all others are kept as they are. */
const Node = z.looseObject({
  name: z.string(),
  type: z.string(),
  typeVersion: z.number().optional(),
  disabled: z.boolean().optional(),
  webhookId: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).default({}),
  credentials: z.record(z.string(), CredentialReference).optional(),
});
export type WorkflowNode = z.infer<typeof Node>;

/** The workflow itself, without what belongs to the n8n that exported it: owner, tags, history and pinned data. */
const Workflow = z.object({
  id: z.union([z.string(), z.number()]).nullish().transform(String),
  name: z.string().min(1),
  nodes: z.array(Node).min(1),
  connections: z.record(z.string(), z.unknown()),
  settings: z.record(z.string(), z.unknown()).nullish(),
  staticData: z.unknown().optional(),
});
export type Workflow = z.infer<typeof Workflow>;

/** Ids that n8n accepts and that are safe as a command-line argument. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,35}$/;

/**
 * Reads a workflow that the editor or `n8n export:workflow --id=…` exported.
 * @param where flag and file, for messages
 * @returns the workflow. Without a valid id in the file, the id is a hash of the content, so that each reading gives the same
 * @throws UsageError that names the file and what is wrong in it
 */
export function readWorkflow(file: string, where: string): Workflow {
  const content = readJson(file, where);
  // The command line exports a list, even of one workflow.
  const [only, ...others] = Array.isArray(content) ? (content as unknown[]) : [content];
  if (others.length > 0) throw new UsageError(`${where}: has ${others.length + 1} workflows; give one file for each.`);
  const result = Workflow.safeParse(only);
  if (!result.success)
    throw new UsageError(
      `${where}: is not an n8n workflow (${describeProblems(only, result.error.issues)}); export it with "Download" in the editor or "n8n export:workflow --id=…".`,
    );
  const { id } = result.data;
  return {
    ...result.data,
    id:
      ID.test(id) && id !== 'null' && id !== 'undefined'
        ? id
        : createHash('sha256').update(JSON.stringify(result.data)).digest('hex').slice(0, 16),
  };
}

/** Reasons why a content is not a workflow, such as `it has no name, nodes or connections`. */
function describeProblems(content: unknown, issues: z.core.$ZodIssue[]): string {
  if (typeof content !== 'object' || content === null) return 'it is not a JSON object';
  const isMissing = ({ path, code }: z.core.$ZodIssue) =>
    code === 'too_small' ||
    path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)[key], content) === undefined;
  const fields = (some: z.core.$ZodIssue[]) => some.map(({ path }) => path.join('.'));
  const missing = fields(issues.filter(isMissing));
  const wrong = fields(issues.filter((issue) => !isMissing(issue)));
  const all = [missing.slice(0, -1).join(', '), missing.at(-1)].filter(Boolean).join(' or ');
  return [...(all ? [`it has no ${all}`] : []), ...wrong.map((field) => `its ${field} is not valid`)].join('; ');
}

/** A workflow from n8n's API; undefined if it is not one. */
export const parseWorkflow = (content: unknown): Workflow | undefined => Workflow.safeParse(content).data;

/** The nodes that are not disabled. */
export const activeNodes = (workflow: Workflow): WorkflowNode[] => workflow.nodes.filter((n) => n.disabled !== true);
