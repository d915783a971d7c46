import { createHash } from 'node:crypto';
import { runAllChecks, checkEach } from '../../core/all-of.js';
import { UsageError } from '../../core/errors.js';
import type { LoadPlan, CustomWorkflow } from '../../model/plan.js';
import { withoutSecrets } from '../redact.js';
import { readCredentials, usedCredentials, type Credential } from './credentials-file.js';
import { refuseMissingSubWorkflows, refuseSideEffects } from './refusals.js';
import { readRequest, webhookLoad, type RequestOptions } from './request.js';
import { productionPath, findWebhook } from './webhook-node.js';
import { readWorkflow, type Workflow } from '../../workflow/file.js';

/** The flags of a custom workflow, as commander hands them over. */
export interface CustomWorkflowOptions extends RequestOptions {
  workflow?: string;
  subWorkflow?: string[];
  credentials?: string;
  webhook?: string;
  allowSideEffects?: boolean;
}

/** Flags that need `--workflow`. */
export const WORKFLOW_OPTIONS = ['subWorkflow', 'credentials'] as const satisfies (keyof CustomWorkflowOptions)[];

/** Flags that need `--workflow` or `--webhook`. */
export const CALL_OPTIONS = [
  'method',
  'body',
  'headers',
  'expectStatus',
  'serviceTime',
  'executionTime',
  'allowSideEffects',
] as const satisfies (keyof CustomWorkflowOptions)[];

/** A load, and the environment of its k6 script. */
interface ScriptedLoad {
  load: LoadPlan;
  scriptEnv: Record<string, string>;
}

/** The load of a custom workflow. Throws UsageError. */
export function customLoad(options: CustomWorkflowOptions & { workflow: string }): ScriptedLoad {
  const { workflow: file, subWorkflow = [], credentials } = options;
  const where = `--workflow ${file}`;
  const { workflow, request } = runAllChecks({
    workflow: () => readWorkflow(file, where),
    request: () => readRequest(options),
  });
  const webhook = findWebhook(workflow, where, {
    ...(options.webhook !== undefined && { webhook: options.webhook }),
    ...(request.method !== undefined && { method: request.method }),
  });
  const custom: CustomWorkflow = {
    file,
    id: workflow.id,
    name: workflow.name,
    ...webhook,
    proof: 'status',
    subWorkflows: subWorkflow,
    ...(credentials !== undefined && { credentials }),
  };
  const { workflows } = readCustom(custom);
  if (!options.allowSideEffects) refuseSideEffects(workflows);
  const { load, scriptEnv } = webhookLoad(workflow.name, custom, request);
  return { load: { ...load, custom: { ...custom, digest: digestWorkflows(workflows) } }, scriptEnv };
}

/** The load of a webhook that an existing n8n already serves. Throws UsageError. */
export function servedLoad(options: CustomWorkflowOptions & { webhook: string }): ScriptedLoad {
  const { path, request } = runAllChecks({
    path: () => productionPath(options.webhook),
    request: () => readRequest(options),
  });
  const served = { path, method: request.method ?? 'GET', allowSideEffects: options.allowSideEffects === true };
  const name = withoutSecrets(path.replace(/\?.*$/s, ''), '').replace(/^\/webhook\//, '');
  const { load, scriptEnv } = webhookLoad(name, served, request);
  return { load: { ...load, served }, scriptEnv };
}

const digestWorkflows = (workflows: Workflow[]): string =>
  createHash('sha256').update(JSON.stringify(workflows)).digest('hex');

/**
 * The custom workflow and its sub-workflows, in this order, and the credentials that they use.
 * @throws UsageError if they cannot be read, or are not those of the plan any more
 */
export function readCustom(custom: CustomWorkflow): { workflows: Workflow[]; credentials: Credential[] } {
  const driven = { ...readWorkflow(custom.file, `--workflow ${custom.file}`), id: custom.id };
  const subs = checkEach(custom.subWorkflows, (file) => readWorkflow(file, `--sub-workflow ${file}`));
  const workflows = [driven, ...subs];
  const [twice] = workflows.filter(({ id }, i) => workflows.findIndex((w) => w.id === id) !== i);
  if (twice)
    throw new UsageError(
      `--sub-workflow: the id ${twice.id} ("${twice.name}") is given twice; give each workflow once.`,
    );
  if (custom.digest !== undefined && digestWorkflows(workflows) !== custom.digest)
    throw new UsageError(
      `--workflow ${custom.file}: it or a sub-workflow has changed since this run began; restore the file, or start another run.`,
    );
  refuseMissingSubWorkflows(workflows);
  const given = custom.credentials === undefined ? [] : readCredentials(custom.credentials);
  return { workflows, credentials: usedCredentials(workflows, given) };
}
