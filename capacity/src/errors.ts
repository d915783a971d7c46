/**
 * What the user gave, or what the machine lacks, makes the work impossible: one or two lines that name the value, what
 * is allowed and what to do. The command line prints the message alone and ends with exit code 3.
 */
export class InputError extends Error {
  override name = 'InputError';
}

/** The user ended the run (Ctrl-C, SIGTERM); what was recorded is kept. The command line ends with exit code 130. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** The message of anything thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
