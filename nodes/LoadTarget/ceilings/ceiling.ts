/**
 * What the node may cost at most, whatever a workflow asks for. The environment of the n8n process can lower a ceiling,
 * nothing can raise it.
 */
export class Ceiling {
  /**
   * @param highest  the ceiling where the environment does not lower it
   * @param measure  what it counts and for whom, as it stands behind a number: `s an execution`
   * @param variable the environment variable that lowers it; without one it is fixed
   */
  constructor(
    readonly highest: number,
    private readonly measure: string,
    private readonly variable?: string,
  ) {}

  /** The ceiling here and now. Throws when the environment says something else than a number from 0 on. */
  get value(): number {
    const text = this.variable && process.env[this.variable]?.trim();
    if (!text) return this.highest;
    if (!/^\d+(\.\d+)?$/.test(text)) {
      throw new Error(`${this.variable} is "${text}": must be a number from 0 to ${this.highest}`);
    }
    return Math.min(Number(text), this.highest);
  }

  /** As errors name it. */
  get text(): string {
    const lowered = this.variable ? `, ${this.variable} can lower it` : '';
    return `the ceiling is ${this.value} ${this.measure}${lowered}`;
  }
}

/** MB are MiB, of 1,048,576 bytes. */
export const ceilings = {
  /** Time to work, over all items and Load Target nodes of an execution. */
  seconds: new Ceiling(60, 's an execution', 'N8N_LOAD_TARGET_MAX_SECONDS'),
  /** Input items, over all Load Target nodes: fixed, because n8n keeps some data for each output item, whatever it is. */
  inputItems: new Ceiling(10_000, 'input items an execution'),
  /** Memory that the executions of a process hold or work in, at once. */
  megabytes: new Ceiling(1024, 'MB a process', 'N8N_LOAD_TARGET_MAX_MEGABYTES'),
  /** What Payload puts out, over all items and nodes of an execution. */
  payloadMegabytes: new Ceiling(64, 'MB of payload an execution', 'N8N_LOAD_TARGET_MAX_PAYLOAD_MEGABYTES'),
  /** How many items Payload puts out: fixed, because n8n keeps some data for each, whatever its size. */
  payloadItems: new Ceiling(10_000, 'items of payload an execution'),
  /** Files of Transform that exist at once. */
  diskMegabytes: new Ceiling(256, 'MB of files a process', 'N8N_LOAD_TARGET_MAX_DISK_MEGABYTES'),
  /** Requests that HTTP Fan-Out sends, over all items and nodes of an execution. */
  requests: new Ceiling(1000, 'requests an execution', 'N8N_LOAD_TARGET_MAX_REQUESTS'),
};
