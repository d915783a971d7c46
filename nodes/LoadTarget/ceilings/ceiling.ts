import { ExplainedError } from '../../shared/explained';

/**
 * The most that the node may cost, whatever a workflow asks for. The environment of the n8n process can lower a ceiling.
 * Nothing can raise it.
 */
export class Ceiling {
  /**
   * @param highest  the ceiling, if the environment does not lower it
   * @param measure  its unit and scope, as they follow a number: `s an execution`
   * @param variable the environment variable that can lower it; without one it is fixed
   */
  constructor(
    readonly highest: number,
    private readonly measure: string,
    private readonly variable?: string,
  ) {}

  /**
   * The current ceiling.
   * @throws EnvironmentError if the variable is not a number from 0
   */
  get value(): number {
    const text = this.variable && process.env[this.variable]?.trim();
    if (!text) return this.highest;
    if (!/^\d+(\.\d+)?$/.test(text)) {
      throw new EnvironmentError(
        this.variable,
        `The environment variable ${this.variable} of n8n cannot be "${text}"`,
        `Set it to a number from 0 to ${this.highest}, and restart n8n.`,
      );
    }
    return Math.min(Number(text), this.highest);
  }

  /** Its text in errors. */
  get text(): string {
    const lowered = this.variable ? `, ${this.variable} can lower it` : '';
    return `the ceiling is ${this.value} ${this.measure}${lowered}`;
  }
}

/** All ceilings. 1 MB is 1,048,576 bytes. */
export const ceilings = {
  /** Time of work, over all items and Load Target nodes of an execution. */
  seconds: new Ceiling(60, 's an execution', 'N8N_LOAD_TARGET_MAX_SECONDS'),
  /** Input items, over all Load Target nodes of an execution. Fixed, because n8n keeps data for each output item. */
  inputItems: new Ceiling(10_000, 'input items an execution'),
  /** Memory that the executions of a process hold or work in at once. */
  megabytes: new Ceiling(1024, 'MB a process', 'N8N_LOAD_TARGET_MAX_MEGABYTES'),
  /** Output of Payload, over all items and nodes of an execution. */
  payloadMegabytes: new Ceiling(64, 'MB of payload an execution', 'N8N_LOAD_TARGET_MAX_PAYLOAD_MEGABYTES'),
  /** Output items of Payload. Fixed, because n8n keeps data for each item, whatever its size. */
  payloadItems: new Ceiling(10_000, 'items of payload an execution'),
  /** Files of Transform that exist at once. */
  diskMegabytes: new Ceiling(256, 'MB of files a process', 'N8N_LOAD_TARGET_MAX_DISK_MEGABYTES'),
  /** Requests that HTTP Fan-Out sends, over all items and nodes of an execution. */
  requests: new Ceiling(1000, 'requests an execution', 'N8N_LOAD_TARGET_MAX_REQUESTS'),
  /**
   * Fan-outs that lead to one another, where a request of one starts an execution that has one. Fixed: two of them are up to
   * 10,000 requests at once.
   */
  fanOuts: new Ceiling(1, 'level of fan-out'),
};

/** Work was refused or ended because a ceiling was reached. The description names the ceiling. */
export class CeilingError extends ExplainedError {
  /** @param amounts what was requested, and what was already taken; without it the ceiling was reached during the work */
  constructor(
    readonly ceiling: Ceiling,
    what: string,
    readonly amounts?: { requested: number; taken: number },
  ) {
    super(what, `Ask for less: ${ceiling.text}.`);
  }
}

/** An environment variable of the n8n process has a value that is not allowed. */
export class EnvironmentError extends ExplainedError {
  constructor(
    readonly variable: string,
    what: string,
    description: string,
  ) {
    super(what, description);
  }
}
