import type { LoadPlan } from '../../model/plan.js';
import type { CustomWorkflowOptions } from './load.js';
import { methodOf, webhookLoad } from './request.js';
import { productionPath } from './webhook-node.js';

/** The load of a webhook that an existing n8n serves already, and the environment of its k6 script. Throws UsageError. */
export function servedLoad(options: CustomWorkflowOptions & { webhook: string }): {
  load: LoadPlan;
  scriptEnv: Record<string, string>;
} {
  const served = {
    path: productionPath(options.webhook),
    method: methodOf(options) ?? 'GET',
    allowSideEffects: options.allowSideEffects === true,
  };
  const { load, scriptEnv } = webhookLoad(options.webhook, served, options);
  return { load: { ...load, served }, scriptEnv };
}
