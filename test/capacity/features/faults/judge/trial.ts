import type { FaultTrial, LedgerEntry, ListedExecution } from '../../../../../capacity/src/features/faults/record.js';
import type { SentRequest } from '../../../../../capacity/src/model/requests.js';

/** When the fault begins, in milliseconds since the epoch. */
export const FAULT_AT = 100_000;
export const WORK_SECONDS = 5;

/** One request in a made-up trial: when it was sent, and what became of it. */
export interface Story {
  id: string;
  /** Seconds relative to the fault. */
  sent: number;
  status?: number;
  /** Entries in the ledger, in seconds relative to the fault. */
  begun?: number[];
  done?: number[];
  /** The execution that did it, where that is a retry. */
  doneBy?: string;
  /** As n8n lists it; undefined: it does not. */
  listed?: string;
  /** The answer is n8n's notice that it starts. */
  starting?: true;
  /** False where the answer names no execution. */
  named?: boolean;
}

/** A request that was done as it should be. */
export const fine = (id: string, sent: number): Story => ({
  id,
  sent,
  begun: [sent + 0.1],
  done: [sent + WORK_SECONDS],
  listed: 'success',
});

/** Requests that any sound trial has: some before the fault, one under way when it begins, some after it. */
export const SOUND: Story[] = [
  ...[-25, -20, -16].map((at) => fine(`before${at}`, at)),
  fine('across', -2),
  fine('after', 30),
];

/** A trial of a worker that is killed; its parts can be replaced. */
export function trialOf(stories: Story[], parts: Partial<FaultTrial> = {}): FaultTrial {
  const at = (seconds: number) => FAULT_AT + seconds * 1000;
  const execution = (id: string) => `execution of ${id}`;
  return {
    index: 0,
    fault: 'worker-kill',
    planned: stories.length,
    injection: { from: FAULT_AT, to: FAULT_AT, evidence: 'SIGKILL to worker-0' },
    requests: stories.map(({ id, sent, status = 200, named = true, starting }): SentRequest => ({
      id,
      sentAt: at(sent),
      endedAt: at(sent + 0.05),
      status,
      ...(status === 200 && named && !starting && { execution: execution(id) }),
      ...(starting && { starting }),
    })),
    ledger: stories.flatMap(({ id, begun = [], done = [], doneBy = execution(id) }): LedgerEntry[] => [
      ...begun.map((s) => ({ id, execution: execution(id), event: 'begun' as const, at: at(s) })),
      ...done.map((s) => ({ id, execution: doneBy, event: 'done' as const, at: at(s) })),
    ]),
    executions: stories.flatMap(({ id, sent, listed }): ListedExecution[] =>
      listed === undefined ? [] : [{ execution: execution(id), status: listed, endedAt: at(sent + 60) }],
    ),
    events: [],
    tookSeconds: 200,
    ...parts,
  };
}
