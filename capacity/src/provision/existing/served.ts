import { UsageError } from '../../core/errors.js';
import { refuseSideEffects } from '../../plan/custom-workflow/refusals.js';
import { serves } from '../../plan/custom-workflow/webhook-node.js';
import { workflowIn } from '../../plan/custom-workflow/workflow-file.js';
import type { ServedWebhook } from '../../model/plan.js';
import type { N8nApi } from './api.js';

/** The workflow behind a webhook that was there already. */
export interface ServedWorkflow {
  id: string;
  name: string;
  /** n8n keeps its executions, as far as the workflow itself says, so that their list counts them. */
  isSaved: boolean;
}

/**
 * Finds the active workflow that serves a webhook, by the nodes that n8n's API shows.
 * @returns undefined where the key sees none, and nodes that reach outside are allowed unseen
 * @throws UsageError when the key sees none, or several, or one whose nodes reach outside without leave
 */
export async function findServed(api: N8nApi, served: ServedWebhook): Promise<ServedWorkflow | undefined> {
  const found = (await api.activeWorkflows()).flatMap((listed) => {
    // What is published is what serves; n8n below 2.0 publishes what it saves.
    const workflow = workflowIn({ ...listed, nodes: listed.activeVersion?.nodes ?? listed.nodes });
    return workflow && serves(workflow, served) ? [workflow] : [];
  });
  const [workflow, ...others] = found;
  const what = `--webhook ${served.path}`;
  if (others.length > 0)
    throw new UsageError(
      `${what}: ${found.map(({ name }) => `"${name}"`).join(' and ')} serve it with ${served.method}; leave one of them active.`,
    );
  if (!workflow && !served.allowSideEffects)
    throw new UsageError(
      `${what}: the key of N8N_API_KEY sees no active workflow that serves it with ${served.method}, so that neither what it does nor its executions can be seen. ` +
        'Give its owner’s key, or --allow-side-effects to drive it all the same: the run is then INCONCLUSIVE, since nothing is counted.',
    );
  if (!workflow) return undefined;
  if (!served.allowSideEffects) refuseSideEffects([workflow]);
  const { id, name, settings } = workflow;
  return { id, name, isSaved: settings?.saveDataSuccessExecution !== 'none' };
}
