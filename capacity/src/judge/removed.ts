import { DELETED, type Component, type InstanceEvent } from '../model/events.js';
import type { BurstPlan } from '../model/plan.js';
import type { StepRecord } from '../model/step.js';
import type { Reason } from '../model/verdict.js';
import { asynchronousUnended } from './asynchronous.js';

/** Components that count the executions of webhooks. */
const COUNTING: Component[] = ['main', 'webhook'];
/** Components that count sub-workflows. */
const COUNTING_ASYNCHRONOUS: Component[] = [...COUNTING, 'worker'];

/** Why executions did not end, divided by whether a pod that was removed may have counted them after its last look. */
export interface Unended {
  failed: Reason[];
  unknown: Reason[];
}

/**
 * Divides the reasons that executions did not end. A process that is removed takes its count with it: executions that it counted
 * after the last look, and those of its requests that end later, are counted nowhere.
 * @param own reasons of the executions of the load
 */
export function divideUnended(step: StepRecord, own: Reason[]): Unended {
  const parts = [
    { reasons: own, removal: firstRemoval(step, COUNTING) },
    { reasons: asynchronousUnended(step), removal: firstRemoval(step, COUNTING_ASYNCHRONOUS) },
  ];
  return {
    failed: parts.flatMap(({ reasons, removal }) => (removal ? [] : reasons)),
    unknown: parts.flatMap(({ reasons, removal }) =>
      removal ? reasons.map(({ text }) => unknown(text, removal)) : [],
    ),
  };
}

/**
 * Divides the reasons that the backlog of a burst did not drain: executions that are counted nowhere stay in it, unless the limit
 * had passed before the first removal.
 */
export function divideUndrained(
  step: StepRecord,
  reasons: Reason[],
  missing: Unended,
  { drainWithinSeconds }: BurstPlan,
): Unended {
  const removal = firstRemoval(step, COUNTING_ASYNCHRONOUS);
  const spike = step.phases!.find(({ name }) => name === 'spike')!;
  const limit = step.measuredFrom + (spike.to + drainWithinSeconds) * 1000;
  if (!removal || missing.unknown.length === 0 || removal.at > limit) return { failed: reasons, unknown: [] };
  return { failed: [], unknown: reasons.map(({ text }) => unknown(text, removal)) };
}

/** A reason that a removed pod may explain, as one that its count is missing. */
const unknown = (text: string, { component }: InstanceEvent): Reason => ({
  code: 'count-unreadable',
  text: `${text}; a ${component} pod was removed, and what it executed after it was last seen is unknown`,
});

/** The first removal of a pod of these components; undefined without one. */
function firstRemoval({ events }: StepRecord, components: Component[]): InstanceEvent | undefined {
  return events.find((event) => components.includes(event.component) && isRemoval(event));
}

const isRemoval = (event: InstanceEvent): boolean =>
  isScaleIn(event) || (event.kind === 'evicted' && event.detail === DELETED);

/** Whether a component got fewer pods. */
export function isScaleIn({ kind, detail }: InstanceEvent): boolean {
  const [from, to] = (/from (\d+) to (\d+)/.exec(detail) ?? []).slice(1).map(Number);
  return kind === 'scaled' && from !== undefined && to! < from;
}
