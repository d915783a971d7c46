import { execa } from 'execa';
import { killGroup } from './processes.js';

/** Options of `runWithTimeout`. */
export interface TimeoutOptions {
  timeoutMs: number;
  /** Text for standard input; empty by default. */
  input?: string;
  /** Aborted by Ctrl-C; kills the command. */
  signal?: AbortSignal;
}

/** How a command ended. */
export interface CommandResult {
  stdout: Buffer;
  /** Why it failed: its stderr, or how it ended if stderr is empty; undefined if it succeeded. */
  failure?: string;
}

/**
 * Runs a command in its own process group, so that Ctrl-C does not reach it. After `timeoutMs` the whole group is killed.
 * Otherwise a child of the command, such as a login plugin of kubectl, could keep its output open and block this process
 * indefinitely.
 */
export async function runWithTimeout(file: string, args: string[], options: TimeoutOptions): Promise<CommandResult> {
  const { timeoutMs, input, signal } = options;
  const child = execa(file, args, {
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
    encoding: 'buffer',
    stripFinalNewline: false,
    maxBuffer: 2 ** 30,
    reject: false,
    detached: true,
  });
  let isLate = false;
  const kill = () => killGroup(child.pid);
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, timeoutMs);
  signal?.addEventListener('abort', kill);
  if (signal?.aborted) kill();
  try {
    const { failed, stdout, stderr, shortMessage } = await child;
    const said = Buffer.from(stderr ?? '')
      .toString()
      .trim();
    const failure = isLate ? `did not end within ${timeoutMs / 1000} s` : said || shortMessage;
    return { stdout: Buffer.from(stdout ?? ''), ...(failed && { failure }) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
  }
}
