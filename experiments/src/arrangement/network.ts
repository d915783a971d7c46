import { readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { execa } from 'execa';
import { ensureIptables, UsageError, type Progress } from 'n8n-capacity';

/** Environment variable with the network namespace of the process that started this command again. */
const OUTER_NETWORK_VARIABLE = 'N8N_TUNED_OUTER_NETWORK';

const readNetworkNamespace = () => readlinkSync('/proc/self/ns/net');

/**
 * Whether this command runs in a network namespace that it made for itself, where its rules affect nothing else. Any other
 * namespace may be shared, for example that of a container.
 */
export function isInOwnNetwork(): boolean {
  const outer = process.env[OUTER_NETWORK_VARIABLE];
  return outer !== undefined && readNetworkNamespace() !== outer;
}

/**
 * Runs this command again in a new network namespace and waits for it. The namespace has only the loopback interface, has no name
 * and disappears with its last process. Nothing can be downloaded inside, so everything must be installed before.
 * @param more arguments to append
 * @returns the exit code; after a signal, 128 plus the signal's number, as in a shell
 * @throws UsageError when this machine or user cannot create a namespace
 */
export async function runInOwnNetwork(progress: Progress, more: string[] = []): Promise<number> {
  await ensureIptables(progress);
  await requireNamespaces();
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1), ...more];
  const child = execa('unshare', [...UNSHARE_ARGS, 'ip link set lo up && exec "$@"', 'sh', ...command], {
    stdio: 'inherit',
    env: { [OUTER_NETWORK_VARIABLE]: readNetworkNamespace() },
    reject: false,
    // Ctrl-C in a terminal then reaches the child only once, through this process.
    detached: true,
    // The child stops its own processes first, which may take longer than execa would wait.
    forceKillAfterDelay: false,
  });
  const forwardSignal = (signal: NodeJS.Signals) => void child.kill(signal);
  // After a second signal this process exits at once, and must stop the child first.
  const terminateChild = () => void child.kill('SIGTERM');
  for (const signal of SIGNALS) process.on(signal, forwardSignal);
  process.once('exit', terminateChild);
  const { exitCode, signal } = await child;
  for (const signal of SIGNALS) process.off(signal, forwardSignal);
  process.off('exit', terminateChild);
  return exitCode ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}

const UNSHARE_ARGS = ['--net', 'sh', '-c'];
const SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

async function requireNamespaces(): Promise<void> {
  const { failed, stderr } = await execa('unshare', [...UNSHARE_ARGS, 'ip link set lo up'], {
    reject: false,
    stdin: 'ignore',
  });
  if (failed)
    throw new UsageError(
      `cannot create a network namespace (${String(stderr).trim() || 'unshare not found'}), which the arrangement "iptables" needs. Run it as root on Linux, or choose another arrangement.`,
    );
}
