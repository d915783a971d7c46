/**
 * What the user gave, or what the machine lacks, makes the work impossible: one or two lines that name the value, what
 * is allowed and what to do. The command line prints the message alone and ends with exit code 3.
 */
export class InputError extends Error {
  override name = 'InputError';
}

/**
 * Something that is not under test failed, as the cluster that should run a deployment or the registry of its image: nothing
 * is known of the deployment.
 */
export class EnvironmentFault extends InputError {
  override name = 'EnvironmentFault';
}

/** What is seen cannot be recorded, as on a full disk: nothing is said of what was under test, and the work ends. */
export class CannotRecord extends InputError {
  override name = 'CannotRecord';
}

/** The user ended the run (Ctrl-C, SIGTERM); what was recorded is kept. The command line ends with exit code 130. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** The message of anything thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
