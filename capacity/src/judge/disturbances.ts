import type { Reason } from '../model/verdict.js';
import type { InstanceEvent } from '../model/events.js';

type Kind = InstanceEvent['kind'];

/** Events of the cluster around what is under test: a step in which one happened says nothing of the deployment. */
const DISTURBANCES: Partial<Record<Kind, Pick<Reason, 'code'> & { verb: string }>> = {
  scaled: { code: 'scaled', verb: 'was scaled within the step' },
  evicted: { code: 'cluster', verb: 'was taken away by the cluster' },
  unobserved: { code: 'cluster', verb: 'could not be observed' },
};

/** Whether an event is nothing that the deployment did. */
export const isDisturbance = ({ kind }: { kind: Kind }): boolean => kind in DISTURBANCES;

/** Why the cluster makes a step INCONCLUSIVE, the last of each kind of each instance. */
export function disturbances(events: InstanceEvent[]): Reason[] {
  const last = new Map(events.filter(isDisturbance).map((e) => [`${e.instance} ${e.kind}`, e]));
  return [...last.values()].map(({ kind, instance, detail }) => {
    const { code, verb } = DISTURBANCES[kind]!;
    return { code, text: `${instance} ${verb}: ${detail}` };
  });
}
