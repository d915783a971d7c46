import { activeNodes, type Workflow } from '../../file.js';
import { isOfType } from '../nodes.js';
import type { Place, Rule } from '../rule.js';

/** The settings of the workflow as a place, if they fulfil a condition. */
const settingsPlace = (
  { settings: given }: Workflow,
  fulfils: (settings: Record<string, unknown>) => boolean,
): Place[] => (fulfils(given ?? {}) ? [{}] : []);

export const savesProgress: Rule = {
  id: 'saves-progress',
  title: 'Execution progress is saved',
  cost: 'capacity',
  why: 'n8n writes all data of the execution to the database after each node.',
  change:
    'Workflow settings: "Save execution progress": do not save. Keep it only to see where long executions stopped.',
  changeIn: ({ savesProgress }) =>
    savesProgress === true
      ? 'Workflow settings: "Save execution progress": do not save. Workflows without that setting save it here: EXECUTIONS_DATA_SAVE_ON_PROGRESS is true.'
      : undefined,
  find: (workflow, { savesProgress }) =>
    settingsPlace(workflow, ({ saveExecutionProgress: own = 'DEFAULT' }) =>
      own === 'DEFAULT' ? savesProgress === true : own === true,
    ),
};

export const noErrorWorkflow: Rule = {
  id: 'no-error-workflow',
  title: 'No error workflow',
  cost: 'safety',
  why: 'A failed execution goes unnoticed.',
  change: 'Workflow settings: choose an "Error Workflow", one that starts with an Error Trigger and informs you.',
  // n8n starts a workflow with an Error Trigger for its own failures, too (execute-error-workflow.js).
  find: (workflow) =>
    activeNodes(workflow).some((node) => isOfType(node, 'errorTrigger'))
      ? []
      : settingsPlace(workflow, ({ errorWorkflow }) => !errorWorkflow || errorWorkflow === 'DEFAULT'),
};

export const noTimeout: Rule = {
  id: 'no-timeout',
  title: 'No timeout',
  cost: 'safety',
  why: 'An execution that waits for a service that never answers keeps its memory and its slot until n8n restarts.',
  change:
    'Workflow settings: switch "Timeout Workflow" on. Or set EXECUTIONS_TIMEOUT for all workflows (executions.timeoutSeconds in the chart).',
  // The workflow's own timeout counts first. -1 there means that it has none (workflow-runner.js).
  find: (workflow, { timeout }) =>
    settingsPlace(workflow, ({ executionTimeout: own }) => (typeof own === 'number' ? own <= 0 : timeout !== true)),
};
