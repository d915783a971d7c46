import { UsageError } from '../../core/errors.js';
import type { Plan } from '../../model/plan.js';
import { sideEffects } from './side-effects.js';
import { subWorkflowsOf } from './sub-workflows.js';
import type { Workflow } from './workflow-file.js';

/**
 * Refuses workflows whose nodes reach outside n8n: load would send a mail, or charge a card, for every request.
 * @throws UsageError with all those nodes
 */
export function refuseSideEffects(workflows: Workflow[]): void {
  const found = workflows.flatMap((workflow) =>
    [...sideEffects(workflow), ...unknownSubWorkflows(workflow)].map(
      ({ node, type, why }) => `  "${node}" (${type}) of "${workflow.name}": ${why}`,
    ),
  );
  if (found.length > 0)
    throw new UsageError(
      `the workflow reaches outside n8n, once for every request:\n${found.join('\n')}\n` +
        'Replace or disable these nodes, or give --allow-side-effects when that is meant.',
    );
}

/** Refuses workflows that start others which are not given: they would only fail. Throws UsageError. */
export function refuseMissingSubWorkflows(workflows: Workflow[]): void {
  for (const workflow of workflows)
    for (const { node, id } of subWorkflowsOf(workflow)) {
      if (id === undefined || workflows.some((w) => w.id === id)) continue;
      throw new UsageError(
        `the node "${node}" of "${workflow.name}" starts the workflow ${id}, which is not given; add its file with --sub-workflow.`,
      );
    }
}

/** Refuses a webhook without its workflow, which an n8n that is about to be deployed does not have. Throws UsageError. */
export function refuseServed({ loads }: Plan): void {
  const served = loads.find((load) => load.served)?.served;
  if (served)
    throw new UsageError(
      `--webhook ${served.path}: a new n8n serves no webhook yet; give its workflow with --workflow, or drive an n8n that serves it with --provisioner existing.`,
    );
}

const unknownSubWorkflows = (workflow: Workflow) =>
  subWorkflowsOf(workflow)
    .filter(({ id }) => id === undefined)
    .map(({ node }) => ({
      node,
      type: 'n8n-nodes-base.executeWorkflow',
      why: 'which workflow it starts is not said in it',
    }));
