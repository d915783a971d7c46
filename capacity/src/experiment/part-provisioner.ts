import { arrangedN8n } from '../provision/arranged/n8n.js';
import { controlProvisioner } from '../provision/control/control-provisioner.js';
import type { Provisioner } from '../model/deployment.js';
import { kubernetes } from '../provision/kubernetes/kubernetes-provisioner.js';
import { processes, processProvisioner } from '../provision/process/process-provisioner.js';
import { processesOf } from './cell-plan.js';
import type { Cell } from './cells.js';

/**
 * What brings a cell to life.
 * @param counts folder in which processes count the requests that they serve
 * @throws UsageError when its arrangement is not possible here
 */
export function provisionerOf(cell: Cell, counts: string): Provisioner {
  if (cell.part.on === 'kubernetes') return kubernetes();
  const arranged = { ...processesOf(cell), counts };
  if (cell.part.on === 'control') return controlProvisioner(arranged);
  // Without an arrangement every process is what the chart makes it, and its executions are counted.
  return cell.of.arrangement === undefined ? processes : processProvisioner(arrangedN8n(arranged));
}
