import { readJson } from '../read-json.js';
import { readWorkflow, type WorkflowNode } from '../file.js';
import type { Circumstances } from './circumstances.js';
import { checkWorkflow, type Finding } from './check.js';
import { fixWorkflow, type Fixed } from './fix.js';
import { readGains } from './gains.js';

/** What a file's workflow does that costs something. */
export interface CheckedFile {
  file: string;
  /** Name of the workflow. */
  workflow: string;
  findings: Finding[];
}

/**
 * Checks the workflow of a file.
 * @param here the deployment that it is judged for; undefined: the chart's defaults, in which the costs were measured
 * @throws UsageError that names the file and what is wrong in it
 */
export function checkFile(file: string, here?: Circumstances): CheckedFile {
  const workflow = readWorkflow(file, file);
  const gains = readGains();
  return { file, workflow: workflow.name, findings: checkWorkflow(workflow, gains, here ?? gains.where) };
}

/**
 * The content of a workflow's file, with all that n8n exports beside the workflow, after the changes that cannot alter what
 * it does.
 * @throws UsageError
 */
export function fixedFile(file: string): { content: unknown; fixed: Fixed[] } {
  readWorkflow(file, file);
  const content = readJson(file, file) as Exported | [Exported];
  const { workflow, fixed } = fixWorkflow(Array.isArray(content) ? content[0] : content);
  return { content: Array.isArray(content) ? [workflow] : workflow, fixed };
}

/** A workflow as n8n exported it. */
interface Exported {
  nodes: WorkflowNode[];
}
