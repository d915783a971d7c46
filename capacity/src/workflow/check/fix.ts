import type { Workflow, WorkflowNode } from '../file.js';
import { RULES } from './rules.js';

/** A change that was made. */
export interface Fixed {
  rule: string;
  node: string;
}

/** Changes the choices that can be changed without altering what a workflow does. Returns the workflow and the changes. */
export function fixWorkflow<W extends Pick<Workflow, 'nodes'>>(workflow: W): { workflow: W; fixed: Fixed[] } {
  if (hasParameterReader(workflow)) return { workflow, fixed: [] };
  const fixed: Fixed[] = [];
  const nodes = workflow.nodes.map((node) =>
    node.disabled
      ? node
      : RULES.reduce<WorkflowNode>((current, rule) => {
          const changed = rule.fix?.(current);
          if (changed) fixed.push({ rule: rule.id, node: node.name });
          return changed ?? current;
        }, node),
  );
  return { workflow: { ...workflow, nodes }, fixed };
}

/** Whether an expression or a Code node reads the parameters of a node, and so would see a change. */
const hasParameterReader = ({ nodes }: Pick<Workflow, 'nodes'>): boolean =>
  /\.params\b|\[\\?["']params|rawParameter/i.test(JSON.stringify(nodes));
