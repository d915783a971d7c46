import { HIDDEN, withoutSecrets } from '../../plan/redact.js';
import { UsageError } from '../../core/errors.js';
import { refuseSideEffects } from '../../plan/custom-workflow/refusals.js';
import { serves } from '../../plan/custom-workflow/webhook-node.js';
import { parseWorkflow, type Workflow } from '../../workflow/file.js';
import type { ServedWebhook } from '../../model/plan.js';
import { findErrorWorkflow, subWorkflowsOf, asynchronousIn } from '../../plan/custom-workflow/sub-workflows.js';
import type { ListedWorkflow, N8nApi } from './api.js';

/** The workflow behind an existing webhook. */
export interface ServedWorkflow {
  id: string;
  name: string;
  /** Its settings let n8n save its executions, so that their list counts them. */
  isSaved: boolean;
  /** Of the asynchronous sub-workflows that it starts. */
  asynchronousIds: Set<string>;
}

/**
 * Finds the active workflow that serves a webhook, by the nodes in n8n's API.
 * @returns undefined if the key sees none and --allow-side-effects is given
 * @throws UsageError when the key sees none or several, or one with side effects that are not allowed
 */
export async function findServed(api: N8nApi, served: ServedWebhook): Promise<ServedWorkflow | undefined> {
  const found = (await api.activeWorkflows()).flatMap((listed) => {
    const workflow = readPublishedWorkflow(listed);
    return workflow && serves(workflow, served) ? [workflow] : [];
  });
  const [workflow, ...others] = found;
  const what = `--webhook ${withoutSecrets(served.path, HIDDEN)}`;
  if (others.length > 0)
    throw new UsageError(
      `${what}: ${found.map(({ name }) => `"${name}"`).join(' and ')} serve it with ${served.method}; deactivate all but one.`,
    );
  if (!workflow && !served.allowSideEffects)
    throw new UsageError(
      `${what}: the key in N8N_API_KEY sees no active workflow that serves it with ${served.method}, so its nodes and executions cannot be checked. ` +
        'Use the key of its owner, or add --allow-side-effects; the run is then INCONCLUSIVE, because executions are not counted.',
    );
  if (!workflow) return undefined;
  const { workflows, unseen } = await withStarted(api, workflow);
  if (!served.allowSideEffects) refuseSideEffects(workflows, unseen);
  const { id, name, settings } = workflow;
  return {
    id,
    name,
    isSaved: settings?.saveDataSuccessExecution !== 'none',
    asynchronousIds: asynchronousIn(workflows),
  };
}

/** The published version serves; n8n below 2.0 publishes every save. */
const readPublishedWorkflow = (listed: ListedWorkflow): Workflow | undefined =>
  parseWorkflow({ ...listed, nodes: listed.activeVersion?.nodes ?? listed.nodes });

/**
 * A workflow with all that its executions start: sub-workflows, and the workflow for errors, which under load is started once
 * for each failure; and theirs.
 * @returns what cannot be read as `unseen`, each as a clause
 */
async function withStarted(api: N8nApi, first: Workflow): Promise<{ workflows: Workflow[]; unseen: string[] }> {
  const workflows = [first];
  const known = new Set([first.id]);
  const unseen: string[] = [];
  // The list grows while it is read.
  for (const workflow of workflows) {
    for (const { by, id } of [...subWorkflowsOf(workflow), ...[findErrorWorkflow(workflow) ?? []].flat()]) {
      if (id === undefined || known.has(id)) continue;
      known.add(id);
      const listed = await api.workflow(id);
      const started = listed && readPublishedWorkflow(listed);
      if (started) workflows.push(started);
      else
        unseen.push(
          `"${by}" of "${workflow.name}": the key in N8N_API_KEY does not see the workflow ${id} that it starts`,
        );
    }
  }
  return { workflows, unseen };
}
