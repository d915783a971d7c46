import {
  ANSWERS,
  OUTCOMES,
  type Accounts,
  type FaultTrial,
  type LedgerEntry,
  type ListedExecution,
  type Outcome,
  type Told,
} from '../record.js';
import type { SentRequest } from '../../../model/requests.js';

/** What is known of a request after the settling time. */
export interface Known {
  request: SentRequest;
  /** Entries of its id in the ledger. */
  entries: LedgerEntry[];
  /** The execution that its answer named; undefined where n8n lists none. */
  listed?: ListedExecution;
}

const REFUSED = 503;

/** What the caller of a request was told. */
export function classifyAnswer({ status, starting }: Pick<SentRequest, 'status' | 'starting'>): Told {
  if (status === 0) return 'unanswered';
  if (status === REFUSED) return 'refused';
  return status >= 200 && status < 300 && !starting ? 'accepted' : 'rejected';
}

/** n8n's words for an execution that has not ended. */
const OPEN = new Set(['new', 'running', 'waiting', 'unknown']);

/** n8n's words for an execution that failed, or that someone ended. */
const FAILED = new Set(['error', 'canceled']);

/**
 * Returns the one outcome of an accepted request. The ledger shows the work that was done, n8n's list the status of the execution.
 * If they disagree, the worse counts. An execution that is still open is stuck, even if its work is done. An execution that n8n
 * lists as a success without the work has vanished.
 */
export function judgeRequest({ entries, listed }: Pick<Known, 'entries' | 'listed'>): Outcome {
  const done = entries.filter(({ event }) => event === 'done').length;
  // It never ends, whatever work it has done.
  if (listed && OPEN.has(listed.status)) return 'stuck';
  if (done > 1) return 'twice';
  if (done === 1) return 'done';
  if (listed?.status === 'crashed') return 'crashed';
  return listed && FAILED.has(listed.status) ? 'failed' : 'vanished';
}

/** The part of a trial that shows the outcome of its requests. */
type Recorded = Pick<FaultTrial, 'requests' | 'ledger' | 'executions'>;

/** Matches each request of a trial with its ledger entries and its execution. Both must have been read. */
export function matchRequests({ requests, ledger = [], executions = [] }: Recorded): Known[] {
  const entries = entriesById(ledger);
  const listed = new Map(executions.map((execution) => [execution.execution, execution]));
  return requests.map((request) => {
    const execution = request.execution === undefined ? undefined : listed.get(request.execution);
    return { request, entries: entries.get(request.id) ?? [], ...(execution && { listed: execution }) };
  });
}

function entriesById(ledger: LedgerEntry[]): Map<string, LedgerEntry[]> {
  const entries = new Map<string, LedgerEntry[]>();
  for (const entry of ledger) entries.set(entry.id, [...(entries.get(entry.id) ?? []), entry]);
  return entries;
}

/** When the work of a request was done first; undefined if it was not. */
export const doneAt = ({ entries }: Pick<Known, 'entries'>): number | undefined => {
  const times = entries.filter(({ event }) => event === 'done').map(({ at }) => at);
  return times.length > 0 ? Math.min(...times) : undefined;
};

/** When an accepted request was accounted for: its last entry, or the end that n8n lists; undefined while it is not. */
export function accountedAt(known: Known): number | undefined {
  const outcome = judgeRequest(known);
  if (outcome === 'stuck' || outcome === 'vanished') return undefined;
  if (outcome === 'failed' || outcome === 'crashed') return known.listed?.endedAt;
  return Math.max(...known.entries.map(({ at }) => at));
}

/**
 * Counts the requests of a trial by what became of them.
 * @param from when the fault began, in milliseconds since the epoch
 */
export function accountFor(trial: Recorded, from: number): Accounts {
  const all = matchRequests(trial).map((known) => ({ ...known, told: classifyAnswer(known.request) }));
  const accepted = all.filter(({ told }) => told === 'accepted').map((k) => ({ ...k, outcome: judgeRequest(k) }));
  const ids = (outcome: Outcome) => accepted.filter((k) => k.outcome === outcome).map(({ request }) => request.id);
  const own = new Set(accepted.flatMap(({ request }) => request.execution ?? []));
  return {
    told: countEach(ANSWERS, (told) => all.filter((k) => k.told === told).length),
    starting: all.filter(({ request }) => request.starting).length,
    outcomes: countEach(OUTCOMES, (outcome) => ids(outcome).length),
    ids: {
      twice: ids('twice'),
      failed: ids('failed'),
      crashed: ids('crashed'),
      stuck: ids('stuck'),
      vanished: ids('vanished'),
    },
    rescued: accepted.filter(isRescued).map(({ request }) => request.id),
    misreported: accepted.filter(isMisreported).map(({ request }) => request.id),
    untold: all.filter((k) => k.told !== 'accepted' && doneAt(k) !== undefined).map(({ request }) => request.id),
    orphans: (trial.executions ?? []).filter(({ execution, status }) => OPEN.has(status) && !own.has(execution)).length,
    exposed: accepted.filter((k) => k.request.endedAt <= from && (doneAt(k) ?? Infinity) > from).length,
  };
}

/** Whether only a retry did the work. */
function isRescued({ request, entries }: Known): boolean {
  const done = entries.filter(({ event }) => event === 'done');
  return done.length > 0 && done.every(({ execution }) => execution !== request.execution);
}

const isMisreported = (known: Known & { outcome: Outcome }): boolean =>
  known.outcome === 'done' &&
  !isRescued(known) &&
  known.listed !== undefined &&
  (known.listed.status === 'crashed' || FAILED.has(known.listed.status));

const countEach = <K extends string>(keys: readonly K[], count: (key: K) => number): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, count(key)])) as Record<K, number>;
