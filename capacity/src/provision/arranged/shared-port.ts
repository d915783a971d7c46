import { join } from 'node:path';
import { experimentsFolder } from '../../paths.js';
import type { Launch } from '../process/supervise.js';
import type { Arranged } from './arrangement.js';

const CLUSTER = join(experimentsFolder, 'control', 'cluster.cjs');

/**
 * The launch of a script of Node, as so many processes that share its port: children of Node's cluster, or of PM2.
 * @param launch its first argument is the script
 * @throws InputError when PM2 is not installed
 */
export function onSharedPort(launch: Launch, { processes }: Arranged): Launch {
  return { ...launch, args: [CLUSTER, String(processes), ...launch.args] };
}
