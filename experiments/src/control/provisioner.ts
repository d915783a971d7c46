import type { Deployment, DeploymentRecord, Plan, Prepared, Progress, Provisioner } from 'n8n-capacity';
import { checkArrangement, countProcessTrees } from '../arrangement/arrangement.js';
import { arrangeDeployment } from '../arrangement/front.js';
import { ControlProcesses, type Control } from './processes.js';

/**
 * Deploys a control server instead of n8n, to show the effect of an arrangement alone. The server answers /webhook/noop and
 * /webhook/count?n=N. It needs no token and has no executions to count.
 * @throws UsageError when the arrangement is not possible here
 */
export function controlProvisioner(control: Control): Provisioner {
  checkArrangement(control);
  return {
    prepare(_plan: Plan, progress: Progress): Promise<Prepared> {
      const record = deploymentRecord(control);
      const deploy = (logs: string) => deployControl(control, record, logs, progress);
      return Promise.resolve({ versions: { n8n: 'none' }, record, deploy });
    },
  };
}

const deploymentRecord = (control: Control): Omit<DeploymentRecord, 'limits'> => ({
  provisioner: 'process',
  mode: 'regular',
  process: 'main',
  database: 'none',
  instances: instanceNames(control).map((name) => ({ name, component: 'webhook', limits: {} })),
});

const LIMITS = { enforced: false, detail: 'a control server without limits' };

async function deployControl(
  control: Control,
  record: Prepared['record'],
  logs: string,
  progress: Progress,
): Promise<Deployment> {
  const processes = new ControlProcesses(control, { ...record, limits: LIMITS }, logs, progress);
  try {
    return await arrangeDeployment(control, await processes.deploy(), progress, logs);
  } catch (error) {
    await processes.lifecycle.teardown();
    throw error;
  }
}

/** A name for each process tree. */
const instanceNames = (control: Control): string[] =>
  Array.from({ length: countProcessTrees(control) }, (_, i) => `${control.server}-${i}`);
