import { execa } from 'execa';
import { Interrupted } from './errors.js';

/** How a logged command is run. */
export interface CommandOptions {
  /** File to which its output is appended. */
  log: string;
  /** Aborted when the user ends the run. */
  signal: AbortSignal;
  cwd?: string;
  /** Added to this process's environment, or all of it when `extendEnv` is false. */
  env?: Record<string, string>;
  extendEnv?: boolean;
  timeoutMs?: number;
}

/**
 * Runs a command without input, its output in a log, in a process group of its own. When the user ends the run, or this
 * process exits, the whole group is killed: a compiler outlives the build tool that a plain kill would end.
 * @returns undefined when it went well, else how it ended, as `exit code 1`
 * @throws Interrupted when the user has ended the run
 */
export async function runLogged(
  command: string,
  args: string[],
  { log, signal, timeoutMs, ...options }: CommandOptions,
): Promise<string | undefined> {
  if (signal.aborted) throw new Interrupted('interrupted');
  const output = { file: log, append: true };
  const child = execa(command, args, {
    ...options,
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    stdin: 'ignore',
    stdout: output,
    stderr: output,
    detached: true,
    reject: false,
  });
  const killGroup = () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // the group has ended already
    }
  };
  signal.addEventListener('abort', killGroup);
  process.once('exit', killGroup);
  try {
    const result = await child;
    signal.throwIfAborted();
    if (!result.failed) return undefined;
    return result.signal ? `signal ${result.signal}` : `exit code ${result.exitCode ?? result.code}`;
  } finally {
    signal.removeEventListener('abort', killGroup);
    process.off('exit', killGroup);
  }
}
