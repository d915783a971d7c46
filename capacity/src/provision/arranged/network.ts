import { UsageError } from '../../core/errors.js';
import { readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { execa } from 'execa';
import type { Progress } from '../../core/progress.js';
import { ensureIptables } from '../../tools/system.js';

/** Tells a command that was started again which namespace it was in before. */
const OUTER = 'N8N_TUNED_OUTER_NETWORK';

const network = () => readlinkSync('/proc/self/ns/net');

/**
 * Whether this command has started itself again in a network namespace of its own: rules that it makes there touch nobody
 * else. Any other namespace may be one that others share, as that of a container.
 */
export function isOwnNetwork(): boolean {
  const outer = process.env[OUTER];
  return outer !== undefined && network() !== outer;
}

/**
 * Runs this very command again in a network namespace of its own, where only the loopback interface is, and waits for it.
 * The namespace has no name and ends with its last process. Whatever the command installs must be there already: nothing
 * can be downloaded inside.
 * @param more arguments that it is given beside its own
 * @returns its exit code; after a signal 128 and the signal's number, as a shell says it
 * @throws UsageError when this machine or user cannot make one
 */
export async function inOwnNetwork(progress: Progress, more: string[] = []): Promise<number> {
  await ensureIptables(progress);
  await requireNamespaces();
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1), ...more];
  const child = execa('unshare', [...UNSHARED, 'ip link set lo up && exec "$@"', 'sh', ...command], {
    stdio: 'inherit',
    env: { [OUTER]: network() },
    reject: false,
    // A terminal's Ctrl-C must reach it once: through us.
    detached: true,
    // It ends what it has started, which may take longer than execa would wait.
    forceKillAfterDelay: false,
  });
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  // The second signal after the one that was passed on: it ends at once, and what it has started with it.
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
      `a network namespace cannot be made here (${String(stderr).trim() || 'no unshare'}); iptables is only used in one: run it as root on Linux, or choose another arrangement.`,
    );
}
