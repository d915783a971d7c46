/** What n8n's log says of a task runner that has ended. */
export interface RunnerEnd {
  /** Milliseconds since the epoch, by the node's clock. */
  at: number;
  detail: string;
}

/** A line of a log that the API server has been asked for with its times, by RFC 3339. */
const TIMED = /^(\d{4}-\d\d-\d\dT\S+) (.*)$/;
/** n8n's task broker says it of every runner that connects, also where n8n logs as JSON (read: 2.41). */
const REGISTERED = /Registered runner \\?"([^"\\]+)\\?" \(/;
/** What ends a runner: V8, whose last words n8n forwards, or n8n itself (read: 2.41). */
const CAUSES: [RegExp, string][] = [
  [/JavaScript heap out of memory/, 'its heap was full'],
  [/Task runner failed heartbeat check/, 'it did not answer n8n'],
  [/Task runner timed out during task/, 'a task took too long'],
  [/Task runner was reported unresponsive/, 'it did not answer n8n'],
];

/**
 * Reads the log of one n8n process, line by line, and tells when one of its task runners was replaced: n8n says nothing of
 * an end, but a runner that registers again has taken the place of one that ended. Without n8n's log level `info` nothing is
 * seen. A launcher in a container of its own is a runner of another name.
 */
export class RunnerLog {
  private readonly registered = new Set<string>();
  private cause: string | undefined;
  private last = '';

  /** @returns an end, where the line tells of one; a line that was read before tells nothing */
  read(line: string): RunnerEnd | undefined {
    const [, time = '', text = ''] = TIMED.exec(line) ?? [];
    if (time === '' || time <= this.last) return undefined;
    this.last = time;
    this.cause = CAUSES.find(([pattern]) => pattern.test(text))?.[1] ?? this.cause;
    const [, runner] = REGISTERED.exec(text) ?? [];
    if (runner === undefined) return undefined;
    const { cause } = this;
    this.cause = undefined;
    const isNew = !this.registered.has(runner);
    this.registered.add(runner);
    if (isNew) return undefined;
    return { at: Date.parse(time), detail: `${runner} ended and was replaced${cause ? `: ${cause}` : ''}` };
  }
}
