import type { Workflow, WorkflowNode } from '../file.js';
import type { Circumstances } from './circumstances.js';

/** What a choice costs: executions per second, memory, or safety when something goes wrong. */
export type Cost = 'capacity' | 'memory' | 'safety';

/** One choice in a workflow that costs something. */
export interface Rule {
  /** Names the rule in output, in the page and in the record of gains. */
  id: string;
  /** The choice, as a heading. */
  title: string;
  cost: Cost;
  /** Why it costs, and where that was read. */
  why: string;
  /** How to change it in the editor. */
  change: string;
  /** Advice to give instead of `change` where another change gains more, or `change` gains nothing. */
  changeIn?(circumstances: Circumstances): string | undefined;
  /** The rule whose measured gain stands for this one, which has no example of its own. */
  measuredAs?: string;
  /** Whether its cost is an isolate of the expression engine. */
  isolates?: true;
  /** Whether the choice costs anything in these circumstances; undefined: it always does. */
  applies?(circumstances: Circumstances): boolean;
  /** Finds the places of the choice. */
  find(workflow: Workflow, circumstances: Circumstances): Place[];
  /** The node without the choice; undefined if that could alter what the workflow does. */
  fix?(node: WorkflowNode): WorkflowNode | undefined;
}

/** Where in a workflow a choice was made. */
export interface Place {
  /** Name of the node; undefined: the workflow's settings. */
  node?: string;
  /** Details that the title does not give. */
  what?: string;
}
