import { readJson } from '../read-json.js';
import { readWorkflow, type WorkflowNode } from '../file.js';
import type { Circumstances } from './circumstances.js';
import { checkWorkflow, type Finding } from './check.js';
import { fixWorkflow, type Fixed } from './fix.js';
import { readGains } from './gains.js';

/** The findings in a file's workflow. */
export interface CheckedFile {
  file: string;
  /** Name of the workflow. */
  workflow: string;
  findings: Finding[];
}

/** A file that cannot be read, or holds no workflow. */
export interface UnreadFile {
  file: string;
  error: string;
}

/**
 * Checks the workflow of a file.
 * @param here the deployment to judge it for; undefined: the chart's defaults, with which the costs were measured
 * @throws UsageError that names the file and what is wrong in it
 */
export function checkFile(file: string, here?: Circumstances): CheckedFile {
  const workflow = readWorkflow(file, file);
  const gains = readGains();
  return { file, workflow: workflow.name, findings: checkWorkflow(workflow, gains, here ?? gains.where) };
}

/**
 * Makes the changes to a file's workflow that cannot alter what it does. The content keeps everything else that n8n exported.
 * @throws UsageError
 */
export function fixFile(file: string): { content: unknown; fixed: Fixed[] } {
  readWorkflow(file, file);
  const content = readJson(file, file) as Exported | [Exported];
  const { workflow, fixed } = fixWorkflow(Array.isArray(content) ? content[0] : content);
  return { content: Array.isArray(content) ? [workflow] : workflow, fixed };
}

/** A workflow as n8n exported it. */
interface Exported {
  nodes: WorkflowNode[];
}
