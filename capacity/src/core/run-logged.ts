import { execa } from 'execa';
import { EnvironmentFault, Interrupted } from './errors.js';
import { releaseFromGuard, guardCommand } from './guard.js';
import { killGroup } from './processes.js';

/** Options of `runLogged`. */
export interface CommandOptions {
  /** File to which the command's output is appended. */
  log: string;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  cwd?: string;
  /** Added to the environment of this process, unless `extendEnv` is false. */
  env?: Record<string, string>;
  extendEnv?: boolean;
  timeoutMs?: number;
}

/**
 * Runs a command without input, in its own process group, and logs its output. After Ctrl-C, or when this process ends in any
 * way, the whole group is killed: compilers survive a kill of the build tool alone.
 * @returns undefined on success, else how the command ended, such as `exit code 1`
 * @throws Interrupted after Ctrl-C, EnvironmentFault when the command takes longer than `timeoutMs`
 */
export async function runLogged(
  command: string,
  args: string[],
  { log, signal, timeoutMs, ...options }: CommandOptions,
): Promise<string | undefined> {
  if (signal.aborted) throw new Interrupted('interrupted');
  const output = { file: log, append: true };
  const { file, args: given, guard } = guardCommand(command, args);
  const child = execa(file, given, {
    ...options,
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    stdio: ['ignore', output, output, guard],
    detached: true,
    reject: false,
  });
  const kill = () => killGroup(child.pid);
  signal.addEventListener('abort', kill);
  process.once('exit', kill);
  try {
    const result = await child;
    signal.throwIfAborted();
    if (result.timedOut)
      throw new EnvironmentFault(
        `${command} ${args.join(' ')}: did not end within ${timeoutMs! / 1000} s. Its log: ${log}`,
      );
    if (!result.failed) return undefined;
    return result.signal ? `signal ${result.signal}` : `exit code ${result.exitCode ?? result.code}`;
  } finally {
    signal.removeEventListener('abort', kill);
    process.off('exit', kill);
    kill();
    releaseFromGuard(child.pid);
  }
}
