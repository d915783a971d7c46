import type { WorkflowNode } from '../../workflow/file.js';
import { isOf, parameter, places, versionOf } from '../nodes.js';
import type { Rule } from '../rule.js';

export const codeEachItem: Rule = {
  id: 'code-each-item',
  title: 'Code node that runs once for each item',
  cost: 'capacity',
  why: 'The code is called for each item, instead of once.',
  change: 'Set "Mode" of the Code node to "Run Once for All Items", and loop over $input.all() in the code.',
  find: (workflow) =>
    places(workflow, (node) => isOf(node, 'code') && parameter(node, 'mode') === 'runOnceForEachItem'),
};

export const subWorkflowWaits: Rule = {
  id: 'sub-workflow',
  title: 'Sub-workflow that is waited for',
  cost: 'capacity',
  why: 'Each item or list starts a second execution, which n8n saves as well, while the first one waits.',
  change:
    'Copy the nodes of a small sub-workflow into this one. Where its result is not needed, switch "Wait For Sub-Workflow Completion" off in the options of Execute Workflow.',
  find: (workflow) =>
    places(
      workflow,
      (node) => isOf(node, 'executeWorkflow') && parameter(node, 'options', 'waitForSubWorkflow') !== false,
    ),
};

export const loop: Rule = {
  id: 'loop',
  title: 'Loop over items',
  cost: 'capacity',
  why: 'Each round runs each node of the loop again, and the execution keeps the data of every round.',
  change:
    'Most nodes work on all items without a loop: remove Loop Over Items, or raise its "Batch Size". Keep it where a service limits how fast it may be called.',
  find: (workflow) => places(workflow, (node) => isOf(node, 'splitInBatches') && batchOf(node)),
};

/** "Batch Size" is 1 by default from version 3 on, and was 10 before. */
function batchOf(node: WorkflowNode): string {
  const size = parameter(node, 'batchSize') ?? (versionOf(node) >= 3 ? 1 : 10);
  return `${typeof size === 'number' ? size : 'some'} at once`;
}

/** Waits of this length and longer are written to the database (Wait.node.ts), in seconds. */
const SAVED_SECONDS = 65;
const UNITS: Record<string, number> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

export const longWait: Rule = {
  id: 'wait-database',
  title: 'Wait that goes to the database',
  cost: 'capacity',
  why: 'From 65 s on, and until a webhook or form resumes it, the execution is saved, removed from memory and loaded again. Main looks once a minute for those that are due.',
  change: 'Keep it: memory is free meanwhile. Where less than 65 s is enough, such a wait costs no writing.',
  find: (workflow) => places(workflow, (node) => isOf(node, 'wait') && waitOf(node)),
};

export const shortWait: Rule = {
  id: 'wait-memory',
  title: 'Wait that stays in memory',
  cost: 'memory',
  why: 'Below 65 s the execution stays in memory, and occupies its slot of the concurrency in queue mode.',
  change:
    'Answer before it (Respond to Webhook), or wait 65 s or longer. Count its time when you choose worker.concurrency.',
  find: (workflow) =>
    places(workflow, (node) => isOf(node, 'wait') && waitOf(node) === undefined && resumesByTime(node)),
};

const resumesByTime = (node: WorkflowNode) => (parameter(node, 'resume') ?? 'timeInterval') === 'timeInterval';

/** How a Wait node waits, where its execution goes to the database; undefined where it does not, or an expression decides. */
function waitOf(node: WorkflowNode): string | undefined {
  const resume = parameter(node, 'resume') ?? 'timeInterval';
  if (resume === 'webhook' || resume === 'form') return `until a ${resume} resumes it`;
  if (resume !== 'timeInterval') return undefined;
  const amount = parameter(node, 'amount') ?? (versionOf(node) > 1 ? 5 : 1);
  const unit = parameter(node, 'unit') ?? (versionOf(node) > 1 ? 'seconds' : 'hours');
  if (typeof amount !== 'number' || typeof unit !== 'string') return undefined;
  return amount * (UNITS[unit] ?? 1) >= SAVED_SECONDS ? `${amount} ${unit}` : undefined;
}

/** Nodes that read or write files. */
const WITH_FILES = [
  ...['convertToFile', 'extractFromFile', 'readWriteFile', 'spreadsheetFile', 'readPDF', 'compression', 'editImage'],
  ...['moveBinaryData', 'readBinaryFile', 'readBinaryFiles', 'writeBinaryFile'],
];

export const binary: Rule = {
  id: 'binary-data',
  title: 'Files',
  cost: 'memory',
  why: 'A file is in memory while a node works on it, and in every later node too where binary data is kept in memory.',
  change:
    'Check that N8N_DEFAULT_BINARY_DATA_MODE is not "default" (memory): filesystem in regular mode, database or s3 in queue mode.',
  find: (workflow) => places(workflow, (node) => isOf(node, ...WITH_FILES) || answersWithFile(node)),
};

const answersWithFile = (node: WorkflowNode): boolean =>
  isOf(node, 'httpRequest') && parameter(node, 'options', 'response', 'response', 'responseFormat') === 'file';
