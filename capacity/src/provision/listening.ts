import { connect } from 'node:net';
import { EnvironmentFault } from '../core/errors.js';
import { waitUntil } from '../core/wait-until.js';

const LOOPBACK = '127.0.0.1';

/**
 * Resolves when something listens on a port of this machine.
 * @throws EnvironmentFault after `seconds`
 */
export async function listening(port: number, seconds: number, signal: AbortSignal): Promise<void> {
  if (!(await waitUntil(() => canConnect(port), { seconds, everyMs: 100, signal })))
    throw new EnvironmentFault(`nothing listens on port ${port} after ${seconds} s.`);
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK });
    socket.once('connect', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });
}
