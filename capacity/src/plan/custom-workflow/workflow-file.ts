import { UsageError } from '../../core/errors.js';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readJson } from './read-json.js';

const CredentialReference = z.object({ id: z.string().nullish(), name: z.string().optional() });

/** A node of a workflow: what is read of it. The rest is n8n's and is kept as it is. */
const Node = z.looseObject({
  name: z.string(),
  type: z.string(),
  disabled: z.boolean().optional(),
  webhookId: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).default({}),
  credentials: z.record(z.string(), CredentialReference).optional(),
});
export type WorkflowNode = z.infer<typeof Node>;

/** Of a workflow's export, what the workflow is; owner, tags, history and pinned data stay with the n8n it comes from. */
const Workflow = z.object({
  id: z.union([z.string(), z.number()]).nullish().transform(String),
  name: z.string().min(1),
  nodes: z.array(Node).min(1),
  connections: z.record(z.string(), z.unknown()),
  settings: z.record(z.string(), z.unknown()).nullish(),
  staticData: z.unknown().optional(),
});
export type Workflow = z.infer<typeof Workflow>;

/** What n8n takes for the id of a workflow, and a command line for one argument. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,35}$/;

/**
 * Reads a workflow as n8n's editor or `n8n export:workflow --id=…` writes it.
 * @param where flag and file, for messages
 * @returns the workflow, with an id of its own where the file has none
 * @throws UsageError that names the file and what is wrong in it
 */
export function readWorkflow(file: string, where: string): Workflow {
  const content = readJson(file, where);
  // The command line exports a list, also of one.
  const [only, ...others] = Array.isArray(content) ? (content as unknown[]) : [content];
  if (others.length > 0) throw new UsageError(`${where}: holds ${others.length + 1} workflows; give a file for each.`);
  const result = Workflow.safeParse(only);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new UsageError(
      `${where}: is no workflow of n8n (${issue!.path.join('.') || 'the document'}: ${issue!.message}); export it in n8n with "Download", or "n8n export:workflow --id=…".`,
    );
  }
  const { id } = result.data;
  return {
    ...result.data,
    id: ID.test(id) && id !== 'null' && id !== 'undefined' ? id : randomBytes(8).toString('hex'),
  };
}

/** A workflow as n8n's API shows it; undefined for what is none. */
export const workflowIn = (content: unknown): Workflow | undefined => Workflow.safeParse(content).data;

/** The nodes that an execution can come to. */
export const activeNodes = (workflow: Workflow): WorkflowNode[] => workflow.nodes.filter((n) => n.disabled !== true);
