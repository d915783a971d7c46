import { EXIT_CODES } from '../core/exit-codes.js';
import { Interrupted } from '../core/errors.js';

/**
 * Longest orderly end, in milliseconds. Longer than the slowest teardown: the steps that remove a namespace have 430 s
 * together.
 */
const DEADLINE_MS = 480_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** An error that no code has caught. The command ends in order, with the exit code of an error. */
export class Crashed extends Error {
  override name = 'Crashed';
}

/**
 * Aborted by Ctrl-C, SIGTERM, SIGHUP or an uncaught error, whatever is going on: an orderly end, which is forced after
 * `deadlineMs`. The same signal once more forces it at once. Other signals do not, nor does SIGHUP: a terminal that is closed
 * sends SIGHUP twice (the kernel and the shell), and service managers follow it with SIGTERM.
 */
export function abortOnSignals(deadlineMs = DEADLINE_MS): AbortSignal {
  const controller = new AbortController();
  const seen = new Set<NodeJS.Signals>();
  surviveClosedOutput();
  const end = (reason: Interrupted | Crashed) => {
    if (controller.signal.aborted) return;
    controller.abort(reason);
    setTimeout(() => {
      process.stderr.write(`did not end within ${deadlineMs / 1000} s; stopped by force\n`);
      process.exit(exitCodeOf(reason));
    }, deadlineMs).unref();
  };
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (seen.has(signal) && signal !== 'SIGHUP') process.exit(EXIT_CODES.interrupted);
      if (seen.size === 0) process.stderr.write('\nstopping… press Ctrl-C again to force\n');
      seen.add(signal);
      end(new Interrupted(signal));
    });
  }
  // No crash may look like a verdict: Node's own exit code for it is that of FAIL.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      end(new Crashed('uncaught error', { cause: error }));
    });
  }
  return controller.signal;
}

/** The exit code of a command that was ended for this reason. */
export const exitCodeOf = (reason: unknown): number =>
  reason instanceof Crashed ? EXIT_CODES.error : EXIT_CODES.interrupted;

/**
 * Keeps a command running when its output is closed: `head` closes a pipe, a user closes the terminal. Errors on stderr are
 * ignored, since it carries only progress. On stdout every other error, such as a full disk, still ends the command: the result
 * would be lost.
 */
function surviveClosedOutput(): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
}
