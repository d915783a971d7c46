import type { Command } from 'commander';
import { EXIT_CODES } from '../core/exit-codes.js';
import { KnownError, messageOf } from '../core/errors.js';
import { escapeControlsKeepLines } from '../core/printable.js';
import { Crashed, exitCodeOf } from './interruption.js';

/**
 * Runs a command-line program to its end: parses the arguments, prints what went wrong on stderr, sets the exit code. An
 * error that the user can act on is one line, any other one a stack trace; both end with 3, after Ctrl-C with 130.
 * @param interruption of `abortOnSignals`
 */
export async function runProgram(program: Command, interruption: AbortSignal): Promise<void> {
  program.exitOverride().configureOutput({
    outputError: (text, write) => write(text.replace(/^error: /, `${program.name()}: `)),
  });
  // Commands inherit these settings only when asked: a missing argument would end with the code of FAIL.
  for (const command of program.commands) command.copyInheritedSettings(program);
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = interruption.aborted ? exitCodeOf(interruption.reason) : report(error, program.name());
  }
  // Open handles may keep the process alive after a crash. A later result would look like a verdict.
  if (interruption.reason instanceof Crashed) process.exit(EXIT_CODES.error);
}

/** Prints the error, where it is one; returns the exit code. */
function report(error: unknown, name: string): number {
  if (isCommander(error)) return error.exitCode === 0 ? 0 : EXIT_CODES.error;
  const trace = error instanceof Error && !(error instanceof KnownError) ? error.stack : undefined;
  process.stderr.write(`${name}: ${trace ?? escapeControlsKeepLines(messageOf(error))}\n`);
  return EXIT_CODES.error;
}

const isCommander = (error: unknown): error is { exitCode: number } =>
  error instanceof Error && error.name.startsWith('Commander');
