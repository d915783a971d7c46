import { UsageError } from '../../core/errors.js';
import type { Arranged } from './arrangement.js';
import { isOwnNetwork } from './network.js';

const MOST_PROCESSES = 99;

/** What can be known to be impossible before anything is started. Throws UsageError. */
export function checkArranged({ arrangement, processes }: Arranged): void {
  const most = arrangement === 'one' ? 1 : MOST_PROCESSES;
  if (!Number.isInteger(processes) || processes < 1 || processes > most)
    throw new UsageError(
      `${processes} processes: not possible in the arrangement "${arrangement}"; give ${most === 1 ? '1' : `1 to ${most}`}.`,
    );
  if (arrangement === 'iptables' && !isOwnNetwork())
    throw new UsageError(
      'the arrangement "iptables" changes rules of the network, which is only done in a network namespace that the command has made for itself, as n8n-capacity experiment does; choose another arrangement.',
    );
}
