import { isDeepStrictEqual } from 'node:util';
import { activeNodes, type Workflow, type WorkflowNode } from '../../file.js';
import { canBeLazy, canTakeIsolates, type Circumstances } from '../circumstances.js';
import { evaluatedTexts, isOfType, isRequestTrigger, versionOf } from '../nodes.js';
import type { Rule } from '../rule.js';

export const expressions: Rule = {
  id: 'expressions',
  title: 'Expressions',
  cost: 'capacity',
  why: 'An execution that evaluates an expression takes an isolate, which costs memory and CPU time (with this chart a fifth of the CPU time and a third of the memory; docs/throughput.md). It takes one, however many expressions there are. Without any it takes none, if isolates are taken only when needed (expressionEngine.lazyAcquire, as the chart sets it; n8n 2.40 and later).',
  change:
    'Compute the values in one Code node, which takes no isolate, and remove the expressions from all other nodes. Removing only some of them gains nothing. A text that evaluates nothing needs no = at its beginning: --fix removes it.',
  isolates: true,
  changeIn: (here) => (here.lazy || here.engine === 'unknown' ? undefined : adviceForEagerIsolates(here)),
  applies: canTakeIsolates,
  find(workflow) {
    const nodes = evaluatingNodes(workflow);
    return nodes.map((node) => ({ node: node.name, what: describeExpressions(node) }));
  },
  fix: (node) => (isOfType(node, 'stickyNote') ? undefined : withoutEmptyExpressions(node)),
};

/** Advice for a deployment in which every execution takes an isolate at its start, with or without expressions. */
const adviceForEagerIsolates = ({ n8n }: Circumstances): string =>
  `Every execution takes an isolate here, with or without expressions, so removing them alone gains nothing. ${
    canBeLazy(n8n)
      ? 'First set N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true (expressionEngine.lazyAcquire in the chart). Then an execution without expressions takes none.'
      : 'n8n 2.40 and later can take them only when needed.'
  }`;

/** The nodes that evaluate expressions in an execution. Another rule covers the expressions of a Webhook node. */
const evaluatingNodes = (workflow: Workflow): WorkflowNode[] =>
  activeNodes(workflow).filter(
    (node) =>
      !isOfType(node, 'stickyNote') &&
      !isRequestTrigger(node) &&
      (evaluatedTexts(node).length > 0 || hasComputedInputs(node)),
  );

/** The number of inputs of a Merge node is an expression of n8n (Merge/v3/actions/router.ts; run: test/integration/isolates.test.ts). */
const hasComputedInputs = (node: WorkflowNode): boolean => isOfType(node, 'merge') && versionOf(node) >= 3;

function describeExpressions(node: WorkflowNode): string {
  const count = evaluatedTexts(node).length;
  if (count === 0)
    return 'evaluates its number of inputs, whatever its parameters are; nodes that run one after another need no Merge node';
  return count === 1 ? '1 expression' : `${count} expressions`;
}

/** The node without the `=` at the beginning of texts that evaluate nothing; undefined if it has no such text. */
function withoutEmptyExpressions(node: WorkflowNode): WorkflowNode | undefined {
  const parameters = dropEmptyExpressions(node.parameters) as WorkflowNode['parameters'];
  return isDeepStrictEqual(parameters, node.parameters) ? undefined : { ...node, parameters };
}

/** Whether the text after `=` begins with a letter and evaluates nothing, so that n8n cannot read it as another type, such as a number. */
const isLiteral = (text: string): boolean => /^=[A-Za-z][^{}=]*$/.test(text);

/** Fields by which a resource locator, a resource mapper or a filter is known. n8n checks their fixed values, but not their expressions. */
const CHECKED_FIELDS = ['__rl', 'mappingMode', 'conditions'];

function dropEmptyExpressions(value: unknown): unknown {
  if (typeof value === 'string') return isLiteral(value) ? value.slice(1) : value;
  if (Array.isArray(value)) return value.map(dropEmptyExpressions);
  if (typeof value !== 'object' || value === null || CHECKED_FIELDS.some((name) => name in value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, dropEmptyExpressions(inner)]));
}
