import type { DeploymentRecord } from '../../model/run.js';
import type { Plan } from '../../model/plan.js';
import type { Progress } from '../../core/progress.js';
import { behindBalancer } from '../arranged/balancer.js';
import { checkArranged } from '../arranged/check.js';
import { onceAllServe } from '../arranged/serving.js';
import type { Deployment, Prepared, Provisioner } from '../../model/deployment.js';
import { namesOf, type Control } from './control.js';
import { ControlProcesses } from './deployment.js';

/**
 * Deploys a control server instead of n8n: with it an arrangement shows what it does where nothing else is in the way. It
 * serves /webhook/noop and /webhook/count?n=N, needs no token, and has no executions that could be counted.
 * @throws UsageError when the arrangement is not possible here
 */
export function controlProvisioner(control: Control): Provisioner {
  checkArranged(control);
  return {
    prepare(_plan: Plan, progress: Progress): Promise<Prepared> {
      const record = recordOf(control);
      const deploy = (logs: string) => deployed(control, record, logs, progress);
      return Promise.resolve({ versions: { n8n: 'none' }, record, deploy });
    },
  };
}

const recordOf = (control: Control): Omit<DeploymentRecord, 'limits'> => ({
  provisioner: 'process',
  mode: 'regular',
  process: 'main',
  database: 'none',
  instances: namesOf(control).map((name) => ({ name, component: 'webhook', limits: {} })),
});

const LIMITS = { enforced: false, detail: 'a control server; nothing limits it' };

async function deployed(
  control: Control,
  record: Prepared['record'],
  logs: string,
  progress: Progress,
): Promise<Deployment> {
  const processes = new ControlProcesses(control, { ...record, limits: LIMITS }, logs, progress);
  try {
    const serving = await onceAllServe(await processes.deploy(), control, progress);
    return await behindBalancer(control, serving, progress, logs);
  } catch (error) {
    await processes.lifecycle.teardown();
    throw error;
  }
}
