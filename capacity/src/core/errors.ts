/**
 * An error that the user can act on. Its message names the value, what is wrong and what to do. The command line prints it
 * without a stack trace and ends with exit code 3.
 */
export abstract class KnownError extends Error {}

/** A flag, file or record from the user is invalid. */
export class UsageError extends KnownError {
  override name = 'UsageError';
  /** One or more problems, each a complete sentence. */
  readonly problems: readonly string[];

  constructor(problems: string | readonly string[]) {
    const all = typeof problems === 'string' ? [problems] : problems;
    super(all.length === 1 ? all[0] : [`${all.length} problems:`, ...all.map((problem) => `- ${problem}`)].join('\n'));
    this.problems = all;
  }
}

/** The chart refuses the values; `refusal` is its own message. */
export class ChartRefused extends KnownError {
  override name = 'ChartRefused';

  constructor(readonly refusal: string) {
    super(`the chart refuses these values:\n${refusal}`);
  }
}

/** An instance of the deployment does not become ready. */
export class NotReady extends KnownError {
  override name = 'NotReady';

  /**
   * @param instance the pod or process
   * @param reason such as `is not ready after 180 s`, without a full stop
   * @param log its last lines and its path; empty without a log
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
 * Something that is not under test failed, such as an install, the disk, Redis, the cluster or a registry. The failure reveals
 * nothing about the deployment, so a run that ends with it is INCONCLUSIVE or has no verdict.
 */
export class EnvironmentFault extends KnownError {
  override name = 'EnvironmentFault';
}

/** Observations cannot be recorded, for example on a full disk. The run ends without a conclusion. */
export class CannotRecord extends EnvironmentFault {
  override name = 'CannotRecord';
}

/** The user ended the run with Ctrl-C or SIGTERM. The record is kept, and the command line ends with exit code 130. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** The message of anything thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Describes why a file could not be read, as a clause to put after its name. */
export function describeReadError(error: unknown): string {
  const { code = messageOf(error) } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
}
