import type { WorkflowNode } from '../../file.js';
import { isOfType, readParameter, findPlaces, versionOf } from '../nodes.js';
import type { Rule } from '../rule.js';

export const codeEachItem: Rule = {
  id: 'code-each-item',
  title: 'Code node that runs once for each item',
  cost: 'capacity',
  why: 'The code is called for each item, instead of once.',
  change: 'Set "Mode" of the Code node to "Run Once for All Items", and loop over $input.all() in the code.',
  find: (workflow) =>
    findPlaces(
      workflow,
      // The older Function Item node always runs once for each item.
      (node) =>
        isOfType(node, 'functionItem') ||
        (isOfType(node, 'code') && readParameter(node, 'mode') === 'runOnceForEachItem'),
    ),
};

export const subWorkflowWaits: Rule = {
  id: 'sub-workflow',
  title: 'Sub-workflow that is waited for',
  cost: 'capacity',
  why: 'Each item or list starts a second execution, which n8n saves as well, while the first one waits.',
  change:
    'Copy the nodes of a small sub-workflow into this one. Where its result is not needed, switch "Wait For Sub-Workflow Completion" off in the options of Execute Workflow.',
  find: (workflow) =>
    findPlaces(
      workflow,
      (node) => isOfType(node, 'executeWorkflow') && readParameter(node, 'options', 'waitForSubWorkflow') !== false,
    ),
};

export const loop: Rule = {
  id: 'loop',
  title: 'Loop over items',
  cost: 'capacity',
  why: 'Each round runs each node of the loop again, and the execution keeps the data of every round.',
  change:
    'Most nodes work on all items without a loop: remove Loop Over Items, or raise its "Batch Size". Keep it where a service limits how fast it may be called.',
  find: (workflow) => findPlaces(workflow, (node) => isOfType(node, 'splitInBatches') && describeBatch(node)),
};

/** The batch size in words. The default of "Batch Size" is 1 from version 3 of the node on, and was 10 before. */
function describeBatch(node: WorkflowNode): string {
  const size = readParameter(node, 'batchSize') ?? (versionOf(node) >= 3 ? 1 : 10);
  return `${typeof size === 'number' ? size : 'some'} at once`;
}
