import type { Limits } from '../../model/events.js';
import { parseQuantity } from '../../chart/objects.js';
import type { Cluster } from './cluster.js';
import type { List, NodeObject } from './api-objects.js';

/** Allocatable resources of each node of the cluster. */
export type Room = Required<Limits>[];

/** The resource requests of a pod. */
export interface Request {
  name: string;
  requests: Limits;
}

/** Allocatable resources of the nodes that accept pods; undefined with a node autoscaler or without permission. */
export async function readRoom(cluster: Cluster): Promise<Room | undefined> {
  if (await addsNodes(cluster)) return undefined;
  const nodes = await cluster.json<List<NodeObject>>(['get', 'nodes']).catch(() => undefined);
  return nodes?.items.filter(takesPods).map(({ status: { allocatable: { cpu = 0, memory = 0 } = {} } }) => ({
    cpuMillis: 1000 * parseQuantity(cpu),
    memoryBytes: parseQuantity(memory),
  }));
}

/** Whether the cluster has a node autoscaler (cluster-autoscaler or Karpenter). */
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
 * Why these pods cannot be scheduled together even on empty nodes; undefined if they may fit. That is no guarantee: other pods
 * use resources too, and the scheduler has more rules.
 */
export function shortOfRoom(pods: Request[], room: Room): string | undefined {
  for (const { key, unit, scale } of RESOURCES) {
    const amount = (value: number) => `${Number((value / scale).toPrecision(3))} ${unit}`;
    const largest = Math.max(0, ...room.map((node) => node[key]));
    const all = room.reduce((total, node) => total + node[key], 0);
    const [most] = [...pods].sort((a, b) => (b.requests[key] ?? 0) - (a.requests[key] ?? 0));
    const together = pods.reduce((total, { requests }) => total + (requests[key] ?? 0), 0);
    if (most && (most.requests[key] ?? 0) > largest)
      return `${most.name} requests ${amount(most.requests[key]!)}, but the largest node has ${amount(largest)} allocatable`;
    if (together > all)
      return `its pods and k6 request ${amount(together)} together, but all nodes have ${amount(all)} allocatable`;
  }
  return undefined;
}
