import type { Limits } from '../../model/events.js';
import { quantity } from '../../chart/objects.js';
import type { Cluster } from './cluster.js';
import type { List, NodeObject } from './api-objects.js';

/** What the cluster's nodes can give to pods, node by node. */
export type Room = Required<Limits>[];

/** A pod that wants to be scheduled. */
export interface Request {
  name: string;
  requests: Limits;
}

/** Of the nodes that take new pods; undefined where nodes can become more, or this user may not read them. */
export async function roomOf(cluster: Cluster): Promise<Room | undefined> {
  if (await addsNodes(cluster)) return undefined;
  const nodes = await cluster.json<List<NodeObject>>(['get', 'nodes']).catch(() => undefined);
  return nodes?.items.filter(takesPods).map(({ status: { allocatable: { cpu = 0, memory = 0 } = {} } }) => ({
    cpuMillis: 1000 * quantity(cpu),
    memoryBytes: quantity(memory),
  }));
}

/** Whether the cluster shows an autoscaler of nodes: the Kubernetes project's, or Karpenter. */
async function addsNodes(cluster: Cluster): Promise<boolean> {
  const marks = [
    ['configmap', 'cluster-autoscaler-status', '--namespace=kube-system'],
    ['crd', 'nodepools.karpenter.sh'],
  ];
  const found = marks.map((mark) =>
    cluster.kubectl(['get', ...mark, '--ignore-not-found', '-o', 'name']).catch(() => ''),
  );
  return (await Promise.all(found)).some((name) => name !== '');
}

const takesPods = ({ spec, status }: NodeObject): boolean =>
  !spec.unschedulable && (status.conditions ?? []).some((c) => c.type === 'Ready' && c.status === 'True');

const RESOURCES = [
  { key: 'cpuMillis', unit: 'cores', scale: 1000 },
  { key: 'memoryBytes', unit: 'GiB of memory', scale: 2 ** 30 },
] as const;

/**
 * Why these pods can never be scheduled together on nodes that have so much for pods, whatever else runs there; undefined
 * while they may. That they may is no promise: other pods are there too, and the scheduler has more rules.
 */
export function shortOfRoom(pods: Request[], room: Room): string | undefined {
  for (const { key, unit, scale } of RESOURCES) {
    const amount = (value: number) => `${Number((value / scale).toPrecision(3))} ${unit}`;
    const largest = Math.max(0, ...room.map((node) => node[key]));
    const all = room.reduce((total, node) => total + node[key], 0);
    const [most] = [...pods].sort((a, b) => (b.requests[key] ?? 0) - (a.requests[key] ?? 0));
    const together = pods.reduce((total, { requests }) => total + (requests[key] ?? 0), 0);
    if (most && (most.requests[key] ?? 0) > largest)
      return `${most.name} requests ${amount(most.requests[key]!)}, and no node has more than ${amount(largest)} for pods (allocatable)`;
    if (together > all)
      return `its pods and k6 request ${amount(together)} together, and all nodes have ${amount(all)} for pods (allocatable)`;
  }
  return undefined;
}
