import type { Component, InstanceEvent } from '../../model/events.js';
import type { ApiProxy } from './api-proxy.js';
import { COMPONENT_LABEL, type PodObject } from './objects.js';
import { RunnerLog } from './runner-log.js';

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

  private read({ metadata }: PodObject, log: RunnerLog, line: string): void {
    const end = log.read(line);
    if (!end || end.at < this.since) return;
    const component = metadata.labels?.[COMPONENT_LABEL] as Component;
    this.found.push({ ...end, instance: metadata.name, component, kind: 'runner-died' });
  }
}
