import { EXECUTE_WORKFLOW } from '../../workflow/node-types.js';
import { throwIfProblems } from '../../core/all-of.js';
import { UsageError } from '../../core/errors.js';
import { HIDDEN, withoutSecrets } from '../redact.js';
import type { Plan } from '../../model/plan.js';
import { sideEffects } from './side-effects.js';
import { subWorkflowsOf } from './sub-workflows.js';
import type { Workflow } from '../../workflow/file.js';

/**
 * Refuses workflows with nodes that reach outside n8n: every request would send a mail, or charge a card.
 * @param unseen workflows that they start and whose nodes cannot be read, each as a clause
 * @throws UsageError that lists these nodes
 */
export function refuseSideEffects(workflows: Workflow[], unseen: string[] = []): void {
  const found = workflows.flatMap((workflow) =>
    [...sideEffects(workflow), ...unknownSubWorkflows(workflow)].map(
      ({ node, type, why }) => `  "${node}" (${type}) of "${workflow.name}": ${why}`,
    ),
  );
  const all = [...found, ...unseen.map((clause) => `  ${clause}`)];
  if (all.length > 0)
    throw new UsageError(
      `these nodes would reach outside n8n on every request:\n${all.join('\n')}\n` +
        'Replace or disable them, or add --allow-side-effects to run them.',
    );
}

/** Refuses workflows that start others which are not given: their executions would fail. Throws UsageError. */
export function refuseMissingSubWorkflows(workflows: Workflow[]): void {
  const missing = workflows.flatMap((workflow) =>
    subWorkflowsOf(workflow)
      .filter(({ id }) => id !== undefined && !workflows.some((w) => w.id === id))
      .map(
        ({ by, id }) =>
          `the node "${by}" of "${workflow.name}" starts the workflow ${id}, which is missing; add its file with --sub-workflow.`,
      ),
  );
  throwIfProblems(missing);
}

/** Refuses a webhook without its workflow, because a new deployment has no workflows. Throws UsageError. */
export function refuseServed({ loads }: Plan): void {
  const served = loads.find((load) => load.served)?.served;
  if (served)
    throw new UsageError(
      `--webhook ${withoutSecrets(served.path, HIDDEN)}: is not served by a new deployment; add its workflow with --workflow, or test an n8n that serves it with "n8n-capacity validate --provisioner existing --webhook <path>".`,
    );
}

const unknownSubWorkflows = (workflow: Workflow) =>
  subWorkflowsOf(workflow)
    .filter(({ id }) => id === undefined)
    .map(({ by }) => ({
      node: by,
      type: EXECUTE_WORKFLOW,
      why: 'the workflow that it starts is not known',
    }));
