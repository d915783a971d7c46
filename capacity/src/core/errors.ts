/**
 * An error that the user can act on. Its message names the value or the thing, says what is wrong and what to do; the
 * command line prints it without a stack trace and ends with exit code 3.
 */
export abstract class KnownError extends Error {}

/** A flag, a file or a record that the user gave is not usable. */
export class UsageError extends KnownError {
  override name = 'UsageError';
}

/** The chart refuses the values; `refusal` is its own message. */
export class ChartRefused extends KnownError {
  override name = 'ChartRefused';

  constructor(readonly refusal: string) {
    super(`the chart refuses these values:\n${refusal}`);
  }
}

/** An instance of the deployment does not come up. */
export class NotReady extends KnownError {
  override name = 'NotReady';

  /**
   * @param instance the pod, or what else was waited for
   * @param reason as `is not ready after 180 s`, without a full stop
   * @param log its last lines and where the whole log is; empty where there is none
   */
  constructor(
    readonly instance: string,
    readonly reason: string,
    readonly log = '',
  ) {
    super(`${instance} ${reason}.${log && ` ${log}`}`);
  }
}

/**
 * Something that is not under test failed: an install, a full disk, a missing Redis, the cluster, a registry. Nothing is
 * known of the deployment, so a run that ends with it is INCONCLUSIVE where a verdict is given at all.
 */
export class EnvironmentFault extends KnownError {
  override name = 'EnvironmentFault';
}

/** Observations cannot be recorded, as on a full disk; nothing is concluded, and the work ends. */
export class CannotRecord extends EnvironmentFault {
  override name = 'CannotRecord';
}

/** The user ended the run (Ctrl-C, SIGTERM); the record is kept. The command line ends with exit code 130. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** The message of anything thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
