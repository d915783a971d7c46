/**
 * An error that n8n shows in two parts, as its UX guidelines for community nodes ask: what happened, then what to do. Neither
 * says "error", "problem", "failure" or "mistake". `message` is both, for logs and for the output of "Continue On Fail".
 */
export class ExplainedError extends Error {
  /**
   * @param what        names the parameter or the server, and the value only if it is no secret; without a final period
   * @param description one or more sentences: what to change, or how to go on
   */
  constructor(
    readonly what: string,
    readonly description?: string,
  ) {
    super(description ? `${what}. ${description}` : what);
  }
}
