import type { Workflow, WorkflowNode } from '../file.js';
import type { Circumstances } from './circumstances.js';

/** What a choice costs: executions per second, memory, or what happens when something goes wrong. */
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
  /** What to do instead where another change is worth more, or the change nothing. */
  changeIn?(circumstances: Circumstances): string | undefined;
  /** The rule whose measured gain is that of this one, where it has no example of its own. */
  measuredAs?: string;
  /** Whether an isolate of the expression engine is what it costs. */
  isolates?: true;
  /** Whether it costs anything there; undefined: wherever n8n runs. */
  applies?(circumstances: Circumstances): boolean;
  /** Where the choice is found. */
  find(workflow: Workflow, circumstances: Circumstances): Place[];
  /** The node without that choice, where this cannot alter what the workflow does; else undefined. */
  fix?(node: WorkflowNode): WorkflowNode | undefined;
}

/** Where in a workflow a choice was made. */
export interface Place {
  /** Name of the node; undefined: the workflow's settings. */
  node?: string;
  /** What is there, where the title does not say it all. */
  what?: string;
}
