import { readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { execa } from 'execa';
import { ensureIptables, UsageError, type Progress } from 'n8n-capacity';

/** Tells a command that was started again in which namespace it was before. */
const OUTER = 'N8N_TUNED_OUTER_NETWORK';

const network = () => readlinkSync('/proc/self/ns/net');

/**
 * Whether this command has started itself again in a network namespace of its own, where its rules affect nothing else. Any
 * other namespace may be shared, as that of a container.
 */
export function isOwnNetwork(): boolean {
  const outer = process.env[OUTER];
  return outer !== undefined && network() !== outer;
}

/**
 * Runs this command again in a network namespace of its own, which has only the loopback interface, and waits for it. The
 * namespace has no name and ends with its last process. Everything that the command installs must be installed already:
 * nothing can be downloaded inside.
 * @param more arguments after its own
 * @returns its exit code; after a signal, 128 plus the signal's number, as in a shell
 * @throws UsageError when this machine or user cannot make a namespace
 */
export async function inOwnNetwork(progress: Progress, more: string[] = []): Promise<number> {
  await ensureIptables(progress);
  await requireNamespaces();
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1), ...more];
  const child = execa('unshare', [...UNSHARED, 'ip link set lo up && exec "$@"', 'sh', ...command], {
    stdio: 'inherit',
    env: { [OUTER]: network() },
    reject: false,
    // So that Ctrl-C in a terminal reaches it only once, through this process.
    detached: true,
    // It ends its own processes first, which may take longer than execa would wait.
    forceKillAfterDelay: false,
  });
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  // After the second signal this process exits at once: the other one is to end, too.
  const endNow = () => void child.kill('SIGTERM');
  for (const signal of SIGNALS) process.on(signal, pass);
  process.once('exit', endNow);
  const { exitCode, signal } = await child;
  for (const signal of SIGNALS) process.off(signal, pass);
  process.off('exit', endNow);
  return exitCode ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}

const UNSHARED = ['--net', 'sh', '-c'];
const SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

async function requireNamespaces(): Promise<void> {
  const { failed, stderr } = await execa('unshare', [...UNSHARED, 'ip link set lo up'], {
    reject: false,
    stdin: 'ignore',
  });
  if (failed)
    throw new UsageError(
      `a network namespace cannot be made here (${String(stderr).trim() || 'no unshare'}); iptables is used only in one. Run it as root on Linux, or choose another arrangement.`,
    );
}
