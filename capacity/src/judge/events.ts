import type { Reason } from '../model/verdict.js';
import type { InstanceEvent } from '../model/events.js';
import type { StepRecord } from '../model/step.js';

type Kind = InstanceEvent['kind'];

/** Identifies an event among those of its run. */
export const eventKey = ({ at, instance, kind }: InstanceEvent): string => `${at} ${instance} ${kind}`;

/** Events of the cluster, not of the deployment: they make a step INCONCLUSIVE. */
const DISTURBANCES: Partial<Record<Kind, Pick<Reason, 'code'> & { verb: string }>> = {
  scaled: { code: 'scaled', verb: 'was scaled during the step' },
  evicted: { code: 'cluster', verb: 'was evicted by the cluster' },
  unobserved: { code: 'cluster', verb: 'could not be observed' },
};

/** Whether an event came from the cluster, not from the deployment. */
export const isDisturbance = ({ kind }: { kind: Kind }): boolean => kind in DISTURBANCES;

/** Why the cluster makes a step INCONCLUSIVE: the last event of each kind and instance. */
export function disturbanceReasons(events: InstanceEvent[]): Reason[] {
  const last = new Map(events.filter(isDisturbance).map((e) => [`${e.instance} ${e.kind}`, e]));
  return [...last.values()].map(({ kind, instance, detail }) => {
    const { code, verb } = DISTURBANCES[kind]!;
    return { code, text: `${instance} ${verb}: ${detail}` };
  });
}

/** Deaths of a step: one reason for each kind and instance, with how often it happened. */
export function deathReasons(step: StepRecord): Reason[] {
  const events = step.events.filter((e) => e.kind !== 'restarted' && !isDisturbance(e));
  const kinds = new Map(events.map((e) => [`${e.instance} ${e.kind} ${e.reason}`, e]));
  return [...kinds.values()].map((e) => {
    const times = events.filter((o) => o.instance === e.instance && o.kind === e.kind && o.reason === e.reason).length;
    const often = times > 1 ? `, ${times} times` : '';
    return { code: 'died', clear: true, text: `${e.instance} ${DEATH_TEXT[e.kind]} (${e.reason ?? e.detail}${often})` };
  });
}

const DEATH_TEXT: Record<string, string> = {
  died: 'died under load',
  'probe-failed': 'failed its probe under load',
  unready: 'became unready under load',
  'runner-died': 'lost its task runner under load',
};
