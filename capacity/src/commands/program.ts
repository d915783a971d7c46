import type { Command } from 'commander';
import { EXIT } from '../core/exit-codes.js';
import { Interrupted, KnownError, messageOf } from '../core/errors.js';

/**
 * Runs a command-line program to its end: parses the arguments, prints what went wrong on stderr, sets the exit code. An
 * error that the user can act on is one line, any other one a stack trace; both end with 3, after Ctrl-C with 130.
 * @param interruption of `abortOnSignals`
 */
export async function runProgram(program: Command, interruption: AbortSignal): Promise<void> {
  // The reader of a pipe may stop reading, as `head` does: that is no error, and the work is to end in order.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const failed = (error: unknown) => exitCodeOf(error, program.name(), interruption);
  // No crash may look like a verdict: Node's own exit code for it is that of FAIL.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error) => process.exit(failed(error)));
  program.exitOverride().configureOutput({
    outputError: (text, write) => write(text.replace(/^error: /, `${program.name()}: `)),
  });
  // Commands inherit these settings only when asked: a missing argument would end with the code of FAIL.
  for (const command of program.commands) command.copyInheritedSettings(program);
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = failed(error);
  }
}

/** Aborted by Ctrl-C, SIGTERM or SIGHUP, whatever is going on: an orderly end; the second signal forces it. */
export function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(EXIT.interrupted);
      process.stderr.write('\nstopping… press Ctrl-C again to force\n');
      controller.abort(new Interrupted(signal));
    });
  }
  return controller.signal;
}

/** Prints the error, where it is one. */
function exitCodeOf(error: unknown, name: string, interruption: AbortSignal): number {
  if (interruption.aborted) return EXIT.interrupted;
  if (isCommander(error)) return error.exitCode === 0 ? 0 : EXIT.error;
  const trace = error instanceof Error && !(error instanceof KnownError) ? error.stack : undefined;
  process.stderr.write(`${name}: ${trace ?? messageOf(error)}\n`);
  return EXIT.error;
}

const isCommander = (error: unknown): error is { exitCode: number } =>
  error instanceof Error && error.name.startsWith('Commander');
