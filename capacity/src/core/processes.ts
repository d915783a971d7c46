/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Whether a process id that was read from a file may get a signal. The kernel writes 0 for a process of another PID namespace.
 * As the target of a signal, 0 is the sender's own group and -1 all processes. 1 is the first process of the machine or of the
 * container.
 */
export const canBeSignalled = (pid: number): boolean => Number.isInteger(pid) && pid > 1;

/** Sends a signal to a process, which may have ended already. Ignores ids below 2. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  if (canBeSignalled(pid)) sendSignal(pid, signal);
}

/** Sends a signal to a process group, which may have ended already. Ignores ids below 2. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid !== undefined && canBeSignalled(pid)) sendSignal(-pid, signal);
}

function sendSignal(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // It has ended.
  }
}

/** Kills a process group, which may have ended already. */
export const killGroup = (pid: number | undefined): void => signalGroup(pid, 'SIGKILL');
