import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { ParameterError, readChoice, readNumber } from '../shared/parameters';
import type { Counts } from './queue/counts';

/** The numbers that the trigger can watch: values of the parameter `watch`. */
const WATCHED = ['waiting', 'unfinished', 'age'] as const;
const MAX = 1_000_000;

/** The thresholds at which a backlog begins and ends. Between them the state stays, so that the alarm does not flap. */
export interface Thresholds {
  /**
   * `waiting`: jobs that wait. `unfinished`: these and the active ones. `age`: age of the oldest waiting job, in seconds.
   */
  watch: (typeof WATCHED)[number];
  /** A backlog begins when the watched number is above this. */
  beginsAbove: number;
  /** The backlog ends when the number is below this, or 0. At most `beginsAbove`. */
  endsBelow: number;
}

/** The state that the trigger keeps between two polls, in n8n's static data of the node. */
export interface Memory {
  /** When the backlog began, in milliseconds since the epoch. Undefined or null if there is none. */
  beganAt?: number | null;
}

/** The fields of the thresholds in the editor. */
export const thresholdFields: INodeProperties[] = [
  {
    displayName: 'Watch',
    name: 'watch',
    type: 'options',
    options: [
      { name: 'Age of the Oldest Waiting Job', value: 'age', description: 'In seconds' },
      { name: 'Unfinished Jobs', value: 'unfinished', description: 'Waiting and active jobs' },
      { name: 'Waiting Jobs', value: 'waiting' },
    ],
    default: 'waiting',
  },
  {
    displayName: 'Begins Above',
    name: 'beginsAbove',
    type: 'number',
    typeOptions: { minValue: 0, maxValue: MAX },
    default: 100,
    description:
      'The workflow starts when the number is above this. It does not start again before the backlog is over.',
  },
  {
    displayName: 'Ends Below',
    name: 'endsBelow',
    type: 'number',
    typeOptions: { minValue: 0, maxValue: MAX },
    default: 20,
    description:
      'The workflow starts a second time when the number is below this, or 0. Set it well below the other: a number that ' +
      'moves between the two starts nothing.',
  },
];

/**
 * Reads the thresholds.
 * @throws ParameterError that names the value and what is allowed
 */
export function readThresholds(parameter: (name: string) => unknown): Thresholds {
  const watch = readChoice('Watch', parameter('watch'), WATCHED);
  const beginsAbove = readNumber('Begins Above', parameter('beginsAbove'), { min: 0, max: MAX });
  const endsBelow = readNumber('Ends Below', parameter('endsBelow'), { min: 0, max: MAX });
  if (endsBelow > beginsAbove) {
    throw new ParameterError(
      'Ends Below',
      `Ends Below (${endsBelow}) is above Begins Above (${beginsAbove})`,
      'Set Ends Below to a smaller number than Begins Above.',
    );
  }
  return { watch, beginsAbove, endsBelow };
}

/** The watched number. Jobs of a paused queue wait, too. */
export function watchedNumber(watch: Thresholds['watch'], counts: Counts, oldestWaitingAgeMs: number | null): number {
  if (watch === 'age') return (oldestWaitingAgeMs ?? 0) / 1000;
  const waiting = counts.waiting + counts.paused;
  return watch === 'waiting' ? waiting : waiting + counts.active;
}

/**
 * Determines the event for `value` and the new memory.
 * @param now milliseconds since the epoch
 * @returns the event to output and the new memory; undefined if nothing changed, and then the memory stays
 */
export function detectChange(
  value: number,
  { beginsAbove, endsBelow }: Thresholds,
  { beganAt }: Memory,
  now: number,
): { event: IDataObject; memory: Memory } | undefined {
  const since = beganAt ?? undefined;
  if (since === undefined) {
    if (value <= beginsAbove) return undefined;
    return { event: { event: 'began', beganAt: new Date(now).toISOString() }, memory: { beganAt: now } };
  }
  if (value >= endsBelow && value > 0) return undefined;
  const lastedSeconds = Math.max(0, Math.round((now - since) / 1000));
  return {
    event: { event: 'ended', beganAt: new Date(since).toISOString(), lastedSeconds },
    memory: { beganAt: null },
  };
}
