import type { Scale } from 'kubernetes-types/autoscaling/v1.js';
import type { Event, Namespace, Node, Pod } from 'kubernetes-types/core/v1.js';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';

/** An object from the API server, which always has a name, a spec and a status. */
type Live<T extends { spec?: object; status?: object }> = { metadata: ObjectMeta & { name: string } } & Required<
  Pick<T, 'spec' | 'status'>
>;

export type PodObject = Live<Pod>;
export type NodeObject = Live<Node>;
export type NamespaceObject = Live<Namespace>;
/** A Deployment or a StatefulSet, as far as it is read. */
export type WorkloadObject = Omit<Live<Scale>, 'status'>;
export type EventObject = Partial<Event>;

export interface List<T> {
  items: T[];
}

/** Whether a pod takes requests. */
export const isReady = ({ metadata, status }: PodObject): boolean =>
  !metadata.deletionTimestamp && (status.conditions ?? []).some((c) => c.type === 'Ready' && c.status === 'True');
