import { connect } from 'node:net';
import { LOOPBACK } from '../core/loopback.js';
import { EnvironmentFault } from '../core/errors.js';
import { waitUntil } from '../core/wait-until.js';

/**
 * Resolves when something listens on a port of this machine.
 * @param failed throws, or rejects, once waiting is in vain; it is called before each try
 * @throws EnvironmentFault after `seconds`
 */
export async function listening(
  port: number,
  seconds: number,
  signal: AbortSignal,
  failed: () => void | Promise<void> = () => {},
): Promise<void> {
  const ask = async () => {
    await failed();
    return canConnect(port);
  };
  if (!(await waitUntil(ask, { seconds, everyMs: 100, signal })))
    throw new EnvironmentFault(`nothing listens on port ${port} after ${seconds} s.`);
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK });
    socket.once('connect', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });
}
