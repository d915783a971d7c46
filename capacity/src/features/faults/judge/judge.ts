import type { Accounts, FaultRow, FaultsConclusion, FaultsRecord, FaultTrial, Injection } from '../record.js';
import type { Verdict } from '../../../model/verdict.js';
import {
  accountedAt,
  accountFor,
  doneAt,
  matchRequests,
  judgeRequest,
  classifyAnswer,
  type Known,
} from './accounts.js';
import { changeFor } from './change.js';

/** What is known of the run that a trial belongs to. */
type Judged = Pick<FaultsRecord, 'workSeconds' | 'rescue'>;

/** An execution that is done so long after its work could be has not waited for the fault. */
const STEADY_SECONDS = 10;

/**
 * Judges one fault. PASS: everything that was accepted is accounted for, nothing is stuck, and the deployment works again; with
 * the rescue, what crashed was done, too.
 * INCONCLUSIVE where the test itself says nothing: k6 did not send, the ledger or n8n's executions cannot be read, the fault
 * did not happen or met nothing.
 */
export function judgeFault(trial: FaultTrial, { workSeconds, rescue }: Judged): FaultRow {
  const { fault, injection, skipped } = trial;
  if (skipped !== undefined) return { fault, verdict: 'INCONCLUSIVE', reasons: [skipped], change: '' };
  const from = injection?.from ?? Infinity;
  const accounts = accountFor(trial, from);
  const base = { fault, accounts, ...(injection?.evidence !== undefined && { evidence: injection.evidence }) };
  const doubts = findDoubts(trial, accounts, workSeconds);
  if (doubts.length > 0) return { ...base, verdict: 'INCONCLUSIVE', reasons: doubts, change: '' };
  const { notBack } = injection!;
  if (notBack !== undefined && !isRead(trial))
    return { fault, verdict: 'FAIL', reasons: [`${NOT_BACK}: ${notBack}`], change: '' };
  const known = matchRequests(trial);
  const recovery = notBack === undefined ? recoverySeconds(known, from) : undefined;
  const accounted = accountedSeconds(known, injection!);
  const reasons = [...findFailures(accounts, recovery, notBack), ...(rescue ? leftCrashed(accounts) : [])];
  if (reasons.length === 1 && reasons[0] === STILL_FAILED && isCutShort(trial)) return { ...base, ...CUT_SHORT };
  return {
    ...base,
    verdict: reasons.length > 0 ? 'FAIL' : 'PASS',
    reasons,
    ...(recovery !== undefined && { recoverySeconds: recovery }),
    ...(accounted !== undefined && { accountedSeconds: accounted }),
    change: changeFor(fault, accounts),
  };
}

const NOT_BACK = 'the deployment did not come back';
/** Whether it is known what became of the requests. */
const isRead = ({ ledger, executions }: FaultTrial): boolean => ledger !== undefined && executions !== undefined;

/** Why a trial says nothing about the deployment; empty where it does. */
function findDoubts(trial: FaultTrial, accounts: Accounts, workSeconds: number): string[] {
  const { requests, planned, generatorProblem, injection, ledger, executions } = trial;
  const { told, exposed } = accounts;
  const sent = new Set(requests.map(({ id }) => id));
  const strange = (ledger ?? []).filter(({ id }) => !sent.has(id)).length;
  const anonymous = requests.filter((r) => classifyAnswer(r) === 'accepted' && r.execution === undefined).length;
  const doubts: [boolean, string][] = [
    [generatorProblem !== undefined, generatorProblem ?? ''],
    [requests.length < planned, `k6 sent ${requests.length} of ${planned} requests`],
    [sent.size < requests.length, `${requests.length - sent.size} ids were sent twice`],
    // A database that did not come back cannot be read: that is the answer.
    [ledger === undefined && injection?.notBack === undefined, 'the ledger cannot be read'],
    [executions === undefined && injection?.notBack === undefined, "n8n's executions cannot be read"],
    [strange > 0, `the ledger holds ${strange} entries of ids that were not sent`],
    [anonymous > 0, `${anonymous} accepting answers name no execution`],
    [injection?.evidence === undefined, 'nothing shows that the fault happened'],
    [told.accepted === 0, 'nothing was accepted'],
    [told.accepted > 0 && exposed === 0, 'no accepted request was under way when the fault began'],
    [isNoOverload(trial), 'it was no overload: nothing was refused, and nothing waited'],
    [refusesBefore(trial), 'more than a quarter of the requests were refused before the fault began; lower --rate'],
    [isMissed(trial), 'no accepted request waited in the queue when its data was lost'],
  ];
  const found = doubts.filter(([isTrue]) => isTrue).map(([, text]) => text);
  if (found.length > 0 || !injection || !isRead(trial)) return found;
  if (!requests.some(({ sentAt }) => sentAt > injection.to)) return ['the load ended before the fault was over'];
  return unsteadyBefore(matchRequests(trial), injection.from, workSeconds);
}

/** Whether Redis lost its data while nothing waited in it: what runs is in the database, too. */
function isMissed(trial: FaultTrial): boolean {
  const { fault, injection } = trial;
  if (fault !== 'redis-data-loss' || !injection) return false;
  const { from } = injection;
  const hasBegun = ({ entries }: Known) => entries.some(({ at }) => at <= from);
  return !matchRequests(trial).some(
    (k) => classifyAnswer(k.request) === 'accepted' && k.request.endedAt <= from && !hasBegun(k),
  );
}

/** An accepted request waits for its execution if that has not begun so long after the answer. */
const WAITS_SECONDS = 1;

/** Whether an overload met a deployment that took all of it at once. */
function isNoOverload(trial: FaultTrial): boolean {
  const { fault, injection } = trial;
  if (fault !== 'overload' || !injection) return false;
  const isTakenAtOnce = ({ request, entries }: Known) =>
    classifyAnswer(request) === 'accepted' && entries.some(({ at }) => at <= request.endedAt + WAITS_SECONDS * 1000);
  const meanwhile = ({ request: { sentAt } }: Known) => sentAt >= injection.from && sentAt <= injection.to;
  return matchRequests(trial).filter(meanwhile).every(isTakenAtOnce);
}

/** If a larger share of the requests in these seconds is refused before the fault, the rate exceeds the capacity. */
const REFUSED_SHARE = 0.25;
const BEFORE_SECONDS = 10;

/** Whether the deployment refused requests before the fault began; redis-data-loss fills the queue on purpose then. */
function refusesBefore({ requests, injection, fault }: FaultTrial): boolean {
  if (!injection || fault === 'redis-data-loss') return false;
  const { from } = injection;
  const last = requests.filter(({ endedAt }) => endedAt < from && endedAt >= from - BEFORE_SECONDS * 1000);
  return last.filter((request) => classifyAnswer(request) === 'refused').length > REFUSED_SHARE * last.length;
}

/** Whether requests that had the time to be done before the fault were done: else the test itself loses them, or is too slow. */
function unsteadyBefore(known: Known[], from: number, workSeconds: number): string[] {
  const latest = from - (workSeconds + STEADY_SECONDS) * 1000;
  const early = known.filter(({ request }) => request.endedAt <= latest);
  if (early.length === 0) return ['no request had the time to be done before the fault began'];
  const late = early.filter(
    (k) => classifyAnswer(k.request) !== 'accepted' || judgeRequest(k) !== 'done' || (doneAt(k) ?? Infinity) > from,
  );
  return late.length > 0 ? [`${late.length} requests were not done in time before the fault began`] : [];
}

function findFailures({ outcomes }: Accounts, recovery: number | undefined, notBack: string | undefined): string[] {
  const { stuck, vanished } = outcomes;
  return [
    ...(notBack === undefined ? [] : [`${NOT_BACK}: ${notBack}`]),
    ...(stuck > 0 ? [`${stuck} accepted requests are stuck`] : []),
    ...(vanished > 0 ? [`${vanished} accepted requests vanished`] : []),
    ...(recovery === undefined && notBack === undefined ? [STILL_FAILED] : []),
  ];
}

const leftCrashed = ({ outcomes: { crashed } }: Accounts): string[] =>
  crashed > 0 ? [`the rescue left ${crashed} crashed requests undone`] : [];

const STILL_FAILED = 'requests still failed at the end of the load';

/** After an outage n8n serves again within so long: its probes, its back-off and its start (run: 20 s in a cluster). */
const SERVES_AGAIN_SECONDS = 45;

/** Whether the load ended before the deployment could be expected to work again. */
const isCutShort = ({ requests, injection }: FaultTrial): boolean =>
  Math.max(...requests.map(({ sentAt }) => sentAt)) < injection!.to + SERVES_AGAIN_SECONDS * 1000;

const CUT_SHORT: Pick<FaultRow, 'verdict' | 'reasons' | 'change'> = {
  verdict: 'INCONCLUSIVE',
  reasons: ['requests still failed when the load ended, less than 45 s after the fault was over; raise --after'],
  change: '',
};

/** Requests in a row at the end of the load that show that the fault is over. A single one may succeed by chance. */
const LEAST_GOOD = 5;

/** Seconds from the fault until every later request was accepted and done once; undefined if the last one was not. */
function recoverySeconds(known: Known[], from: number): number | undefined {
  const later = known.filter(({ request }) => request.sentAt >= from);
  const bad = later.filter((k) => classifyAnswer(k.request) !== 'accepted' || judgeRequest(k) !== 'done');
  if (bad.length === 0) return later.length > 0 ? 0 : undefined;
  const lastBad = Math.max(...bad.map(({ request }) => request.sentAt));
  const good = later.filter(({ request }) => request.sentAt > lastBad).map(({ request }) => request.sentAt);
  return good.length >= LEAST_GOOD ? (Math.min(...good) - from) / 1000 : undefined;
}

/**
 * Seconds from the beginning of the fault until the last request that was accepted before it was over was accounted for;
 * undefined if any accepted request is not.
 */
function accountedSeconds(known: Known[], { from, to }: Injection): number | undefined {
  const accepted = known.filter(({ request }) => classifyAnswer(request) === 'accepted');
  if (accepted.some((k) => accountedAt(k) === undefined)) return undefined;
  const met = accepted.filter(({ request }) => request.sentAt <= to);
  return Math.max(0, ...met.map((k) => (accountedAt(k)! - from) / 1000));
}

/** The answer of the trials so far. */
export function judgeFaults(
  record: FaultsRecord,
  trials: FaultTrial[],
): Pick<FaultsConclusion, 'verdict' | 'answer' | 'rows' | 'left'> {
  // One that the environment prevented was tried again.
  const last = trials.filter(({ fault }, i) => trials.findLastIndex((other) => other.fault === fault) === i);
  const rows = last.map((trial) => judgeFault(trial, record));
  const tried = new Set(trials.map(({ fault }) => fault));
  const left = record.faults.filter((fault) => !tried.has(fault));
  return { rows, left, ...summarizeFaults(rows, left) };
}

function summarizeFaults(rows: FaultRow[], left: FaultsConclusion['left']): { verdict: Verdict; answer: string } {
  const named = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).map(({ fault }) => fault);
  const failed = named('FAIL');
  if (failed.length > 0)
    return {
      verdict: 'FAIL',
      answer: `accepted requests are stuck, vanished or not rescued, or the deployment did not recover: ${failed.join(', ')}`,
    };
  const unclear = [...named('INCONCLUSIVE'), ...left];
  if (unclear.length > 0 || rows.length === 0)
    return { verdict: 'INCONCLUSIVE', answer: `inconclusive or not tried: ${unclear.join(', ')}` };
  const executed = rows.every(({ accounts: of }) => of!.outcomes.done === of!.told.accepted && of!.orphans === 0);
  const rescued = rows.some(({ accounts }) => accounts!.rescued.length > 0);
  const once = rescued ? 'was done, some of it by a retry' : 'was executed once';
  const what = executed ? once : 'is accounted for, though not all of it was executed once';
  return { verdict: 'PASS', answer: `everything that n8n accepted ${what}` };
}
