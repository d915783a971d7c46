import type { InstanceEvent } from '../../model/events.js';
import type { ApiProxy } from './api-proxy.js';
import { componentOf } from '../../chart/objects.js';
import type { PodObject } from './api-objects.js';

/**
 * Follows the logs of n8n's containers to detect that task runners end inside them: the kubelet reports only the first process
 * of a container.
 */
export class RunnerContainerWatch {
  private readonly logs = new Map<string, RunnerLog>();
  private readonly followed = new Set<string>();
  private readonly since = Date.now();
  private found: InstanceEvent[] = [];

  constructor(
    private readonly api: ApiProxy,
    private readonly namespace: string,
  ) {}

  /** Follows the log of a pod's n8n container, once. */
  follow(pod: PodObject, containerId: string): void {
    if (this.followed.has(containerId)) return;
    this.followed.add(containerId);
    // The log is read from its beginning, which shows the runners that existed before.
    const log = this.logs.get(containerId) ?? new RunnerLog();
    this.logs.set(containerId, log);
    const { name } = pod.metadata;
    const path = `/api/v1/namespaces/${this.namespace}/pods/${name}/log?container=${pod.spec.containers[0]!.name}&follow=true&timestamps=true`;
    const again = () => void this.followed.delete(containerId);
    this.api.follow(path, (line) => this.read(pod, log, line)).then(again, again);
  }

  /** The events since the last call. */
  take(): InstanceEvent[] {
    const { found } = this;
    this.found = [];
    return found;
  }

  private read(pod: PodObject, log: RunnerLog, line: string): void {
    const end = log.read(line);
    if (!end || end.at < this.since) return;
    this.found.push({ ...end, instance: pod.metadata.name, component: componentOf(pod)!, kind: 'runner-died' });
  }
}

/** The end of a task runner by n8n's log. */
export interface RunnerEnd {
  /** Milliseconds since the epoch, by the node's clock. */
  at: number;
  detail: string;
}

/** A log line with the timestamp (RFC 3339) that the API server adds. */
const TIMED = /^(\d{4}-\d\d-\d\dT\S+) (.*)$/;
/** n8n's task broker logs it for every runner that connects, also in JSON logs (source of 2.41). */
const REGISTERED = /Registered runner \\?"([^"\\]+)\\?" \(/;
/** Messages before the end of a runner: of V8, which n8n forwards, or of n8n itself (source of 2.41). */
const CAUSES: [RegExp, string][] = [
  [/JavaScript heap out of memory/, 'its heap was full'],
  [/Task runner failed heartbeat check/, 'it did not answer n8n'],
  [/Task runner timed out during task/, 'a task took too long'],
  [/Task runner was reported unresponsive/, 'it did not answer n8n'],
];

/**
 * Reads the log of one n8n process and detects that a task runner was replaced. n8n does not log the end of a runner. A
 * runner that registers again has replaced one that ended. Needs n8n's log level `info`. A launcher in a container of its own
 * registers under another name.
 */
export class RunnerLog {
  private readonly registered = new Set<string>();
  private cause: string | undefined;
  private last = '';

  /** @returns the end of a runner if the line shows one; lines that were read before are ignored */
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
