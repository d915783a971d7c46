import type { InstanceEvent } from '../../model/events.js';
import type { ApiProxy } from './api-proxy.js';
import { componentOf } from '../../chart/objects.js';
import type { PodObject } from './api-objects.js';

/**
 * Follows the logs of n8n's containers to see task runners end inside of them: the kubelet knows nothing of a process that is
 * not a container's first. A log that is followed costs its node nothing until something is written.
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

  /** Follows a pod's n8n, unless that is done already. */
  follow(pod: PodObject, containerId: string): void {
    if (this.followed.has(containerId)) return;
    this.followed.add(containerId);
    // A log that is read from its beginning tells which runners there were before.
    const log = this.logs.get(containerId) ?? new RunnerLog();
    this.logs.set(containerId, log);
    const { name } = pod.metadata;
    const path = `/api/v1/namespaces/${this.namespace}/pods/${name}/log?container=${pod.spec.containers[0]!.name}&follow=true&timestamps=true`;
    const again = () => void this.followed.delete(containerId);
    this.api.follow(path, (line) => this.read(pod, log, line)).then(again, again);
  }

  /** What was seen since it was asked last. */
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
