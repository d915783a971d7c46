import { readWorkflow } from '../../workflow/file.js';
import type { CustomWorkflow, Plan } from '../../model/plan.js';
import { NOT_RECORDED, withoutSecrets } from '../redact.js';
import { pathsOf } from './webhook-node.js';

/**
 * A recorded plan as it can be run: records hide the random part of a webhook's path, which the workflow's file holds.
 * @returns the plan unchanged where a path is whole, or cannot be known, as that with a query string
 * @throws UsageError when the file cannot be read
 */
export function withWebhookPath(plan: Plan): Plan {
  const [{ custom, ...load } = { custom: undefined }, ...others] = plan.loads;
  const path = custom && hiddenPath(custom);
  if (path === undefined) return plan;
  return {
    ...plan,
    loads: [{ ...(load as Plan['loads'][number]), custom: { ...custom!, path } }, ...others],
    scriptEnv: { ...plan.scriptEnv, WEBHOOK_PATH: path },
  };
}

/** The one path of the workflow that is recorded like this one. */
function hiddenPath({ file, id, path }: CustomWorkflow): string | undefined {
  if (!path.includes(NOT_RECORDED)) return undefined;
  const workflow = { ...readWorkflow(file, `--workflow ${file}`), id };
  const [found, ...more] = [...new Set(pathsOf(workflow))].filter((each) => withoutSecrets(each) === path);
  return more.length === 0 ? found : undefined;
}
