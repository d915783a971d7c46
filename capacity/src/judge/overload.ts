import { sum } from 'simple-statistics';
import type { Phase, RatePlan, Slo } from '../model/plan.js';
import type { Overload } from '../model/reports.js';
import type { LoadSecond, PhaseRecord, StepRecord } from '../model/step.js';
import type { LoadVerdict, Reason } from '../model/verdict.js';
import { isUnknown, REFUSED } from '../load/samples.js';
import { format, milliseconds, percent } from '../core/formats.js';
import { IN_A_ROW } from './burst-series.js';
import { deathReasons } from './events.js';
import { COUNTED_SHARE, inconclusiveReasons } from './inconclusive.js';
import { lowerBound95, Z95 } from '../stats/intervals.js';
import { throughput, upperEnd } from './sustained.js';

/** Length of the overload, and of what follows, in seconds: long enough to tell a collapse from chance (bench/truth). */
const SECONDS = 30;
const SECONDS_AFTER = 20;
/** Length of what follows the overload of a search, which is short of time. */
const SECONDS_AFTER_SEARCH = 15;
/** An overload is this multiple of the load that was planned for; Monday brings as much … */
const OF_TARGET = 3;
/** … or, where none was planned, this multiple of the middle of the interval of the capacity, followed by this share of it. */
const OF_CAPACITY = 2;
const SHARE_AFTER = 0.8;

/** Whether a step is an overload, which no rate is judged by. */
export const isOverload = ({ phases = [] }: { phases?: Pick<Phase, 'name'>[] }): boolean =>
  phases.some(({ name }) => name === 'overload');

/** What a load takes, per second: its capacity, or what its clients got through; undefined where no rate held. */
export function takenRate(rates: RatePlan, { verdict, capacity, steps }: LoadVerdict): number | undefined {
  const last = steps.at(-1)?.step;
  if (rates.kind === 'closed') return last && throughput(last);
  return verdict === 'FAIL' ? undefined : capacity;
}

/**
 * The overload of a load whose rates were judged: three times its target and then the target, or twice its capacity, unless
 * the plan has another multiple, and then 0.8 times: what a deployment sustains, it also comes back to. Undefined where no rate
 * held.
 */
export function overloadPhases(rates: RatePlan, load: LoadVerdict): Phase[] | undefined {
  const taken = takenRate(rates, load);
  if (!taken) return undefined;
  const times = (rates.kind === 'closed' ? rates.overload : undefined) ?? OF_CAPACITY;
  const middle = significant(Math.sqrt(taken * (upperEnd(load) ?? taken)));
  const [rate, after] =
    rates.kind === 'target'
      ? [OF_TARGET * rates.rate, rates.rate]
      : [times * middle, significant(SHARE_AFTER * middle)];
  return [
    { name: 'overload', rate, seconds: SECONDS },
    { name: 'return', rate: after, seconds: rates.kind === 'search' ? SECONDS_AFTER_SEARCH : SECONDS_AFTER },
  ];
}

const significant = (rate: number): number => Number(rate.toPrecision(3));

/** A deployment that waits for no more than the arrivals of so many seconds has come back. */
const BACK_BACKLOG_SECONDS = 1;
const BACK_BACKLOG_LEAST = 5;
/** So much of all looks that follow shows it, as random arrivals at eight tenths of the capacity are too many for a moment, too. */
const KEPT_SHARE = 0.75;
/** At the end of an overload the deployment works as it does when too much arrives. */
const SATURATED_SECONDS = 10;

const allowedBacklog = ({ rate }: PhaseRecord): number => BACK_BACKLOG_LEAST + BACK_BACKLOG_SECONDS * rate;

/** What an overload showed. */
export function judgeOverload(step: StepRecord, slo: Slo): Overload {
  const [overload, after] = step.phases as [PhaseRecord, PhaseRecord];
  const completed = completedBetween(step, overload.from, overload.to);
  const completedAfter = completedBetween(step, after.from, after.to);
  const refused = overload.failures[REFUSED] ?? 0;
  const backSeconds = backAfter(step, after, slo);
  const deaths = deathReasons(step).map((r) => r.text);
  const isBack = backSeconds !== undefined;
  const reasons = [
    ...inconclusiveReasons({ ...step, rate: overload.rate }, Infinity).filter((r) => isBack || !isSilence(r, after)),
    ...(isBack || after.answered > 0 ? uncounted(completed) : []),
  ];
  const notOffered = reasons.find((r) => OF_GENERATOR.includes(r.code));
  const unclear = notOffered ?? reasons[0];
  const stuck = isBack || unclear ? undefined : stuckAt(step, after);
  const recovery = isBack || unclear || stuck !== undefined ? {} : recoveryOf(step, after, slo);
  return {
    rate: overload.rate,
    seconds: overload.to - overload.from,
    returnRate: after.rate,
    returnSeconds: after.to - after.from,
    ...(completed !== undefined && { completed }),
    ...(completedAfter !== undefined && { completedAfter }),
    answered: overload.answered,
    served: overload.served ?? overload.answered,
    refused,
    failed: overload.failed - refused,
    ...(overload.refusedP50 !== undefined && { refusedP50: overload.refusedP50 }),
    deaths,
    ...(backSeconds !== undefined && { backSeconds }),
    ...(stuck !== undefined && { collapsedTo: stuck }),
    ...recovery,
    ...(unclear && { unclear: unclear.text }),
    ...(notOffered && { notOffered: true as const }),
  };
}

/** Codes of the reasons why less may have arrived than was to. */
const OF_GENERATOR: Reason['code'][] = ['k6', 'generator'];

/** A deployment that answers nothing any more also tells no count: that is what it does, and hides nothing. */
const isSilence = ({ code }: Reason, { answered }: PhaseRecord): boolean =>
  code === 'count-unreadable' && answered === 0;

/** Some workloads answer before they work: without the executions, answers say little of what was kept. */
const uncounted = (completed: number | undefined): Reason[] =>
  completed === undefined
    ? [{ code: 'count-unreadable', text: "n8n's executions were counted too seldom in the overload" }]
    : [];

/** Executions that succeeded per second between two times of a step; undefined where they were counted too seldom. */
function completedBetween({ backlog }: StepRecord, from: number, to: number): number | undefined {
  const looks = backlog.filter((b) => b.succeeded !== undefined && b.at >= from && b.at <= to);
  const [first, last] = [looks[0], looks.at(-1)];
  if (!first || !last || last.at - first.at < COUNTED_SHARE * (to - from)) return undefined;
  return Math.max(0, last.succeeded! - first.succeeded!) / (last.at - first.at);
}

/**
 * Executions per second, if they are fewer than the requests that arrive though these are no more than the deployment takes:
 * then it never comes back by itself. First measured after the overload alone, where what it did before hides nothing, if chance
 * does not explain it. Else also over the end of the overload, while work is waiting.
 */
function stuckAt(step: StepRecord, after: PhaseRecord): number | undefined {
  const back = completedBetween(step, after.from, after.to);
  if (back !== undefined && mostOf(back, after) < arrivedIn(step, after)) return back;
  // What ends more than arrives works off what waits.
  if (back !== undefined && back >= after.rate) return undefined;
  const ended = completedBetween(step, Math.max(0, after.from - SATURATED_SECONDS), after.to);
  // Without answers and without a count, nothing is executed.
  if (ended === undefined) return after.answered === 0 ? 0 : undefined;
  return ended < after.rate ? ended : undefined;
}

/** The most per second that so many may be by chance: their number varies by no more than its square root. */
function mostOf(perSecond: number, { from, to }: PhaseRecord): number {
  const count = perSecond * (to - from);
  return (count + Z95 * Math.sqrt(count)) / (to - from);
}

/** Requests per second that came, or the rate if more came by chance. */
function arrivedIn({ summary }: StepRecord, { rate, from, to }: PhaseRecord): number {
  const sent = sum(summary.seconds.filter(({ at }) => at >= from && at < to).map((second) => second.sent));
  return Math.min(rate, sent / (to - from));
}

/**
 * What a deployment shows that is neither back nor stuck. While executions wait, answers are late: then it recovers if they become
 * fewer, or if more end than arrive. Executions whose clients have given up wait, too, and are not counted. With nothing waiting it has
 * no reason to fail.
 */
function recoveryOf(step: StepRecord, after: PhaseRecord, slo: Slo): Pick<Overload, 'failsOn' | 'unsettled'> {
  const looks = step.backlog.filter(({ at }) => at >= after.from && at <= after.to);
  if (looks.length < IN_A_ROW) return {};
  const [first, last] = outerThirds(looks).map(
    (third) => sum(third.map((look) => look.waiting ?? look.executions)) / third.length,
  ) as [number, number];
  const givenUp = sum(
    step.phases!.flatMap(({ failures }) => Object.entries(failures).map(([why, n]) => (isUnknown(why) ? n : 0))),
  );
  if (Math.max(last, givenUp) > allowedBacklog(after))
    return worksOff(first - last, after) || endsMore(step, after) ? {} : { unsettled: true };
  const failsOn = failsOnBy(step, after, slo);
  return failsOn === undefined ? { unsettled: true } : { failsOn };
}

/** Whether chance does not explain by how much fewer wait in the last third than in the first: the arrivals between the two vary. */
const worksOff = (fewer: number, { rate, from, to }: PhaseRecord): boolean =>
  fewer > Z95 * Math.sqrt((2 / 3) * rate * (to - from));

/** Whether chance does not explain by how much more ends than arrives: the arrivals vary. */
function endsMore(step: StepRecord, after: PhaseRecord): boolean {
  const seconds = after.to - after.from;
  const ended = completedBetween(step, after.from, after.to) ?? 0;
  return (ended - after.rate) * seconds > Z95 * Math.sqrt(after.rate * seconds);
}

/**
 * Share of the requests that failed or were refused in the last third of the return, at 95 % confidence, if it is more than the
 * objective allows and not half of what it was in the first third: a deployment that recovers fails ever less.
 */
function failsOnBy({ summary }: StepRecord, { from, to }: PhaseRecord, { errors }: Slo): number | undefined {
  const seconds = summary.seconds.filter(({ at }) => at >= from && at < to);
  const thirds = outerThirds(seconds);
  const [first, last] = [endedIn(thirds[0]), endedIn(thirds[1])];
  const isLess = last.failed / last.all < first.failed / first.all / 2;
  if (isLess || !failsMore(thirds[1], errors) || !failsOften(thirds[1])) return undefined;
  return lowerBound95(last.failed, last.all);
}

/** The first third of a series, and the last. */
function outerThirds<T>(series: T[]): [T[], T[]] {
  const part = Math.ceil(series.length / 3);
  return [series.slice(0, part), series.slice(-part)];
}

/** Seconds of the return after which answers are within the SLO and nothing waits; undefined if that does not last. */
function backAfter(
  { summary, backlog }: StepRecord,
  after: PhaseRecord,
  { p50, p95, p99, errors }: Slo,
): number | undefined {
  const objective = p50 ?? p95 ?? p99 ?? Infinity;
  const answers = summary.seconds.filter(({ at }) => at >= after.from && at < after.to);
  const isQuick = answers.map((second) => !failsMore([second], errors) && (second.p50 ?? 0) <= objective);
  const idle = backlog.filter(({ at }) => at >= after.from && at <= after.to);
  const isIdle = idle.map(({ waiting = 0 }) => waiting <= allowedBacklog(after));
  const quickFrom = startOfMost(isQuick, answers);
  const idleFrom = startOfMost(isIdle, idle);
  if (quickFrom === undefined || idleFrom === undefined) return undefined;
  const back = Math.max(quickFrom, idleFrom);
  const rest = answers.filter(({ at }) => at >= back);
  return failsMore(rest, errors) && failsOften(rest) ? undefined : back - after.from;
}

/** Whether more requests of these seconds failed than the objective allows, at 95 % confidence. */
function failsMore(seconds: LoadSecond[], errors: number): boolean {
  const { failed, all } = endedIn(seconds);
  return lowerBound95(failed, all) > errors;
}

/** Whether requests failed again and again: those of a moment may be chance, as arrivals are random. */
const failsOften = (seconds: LoadSecond[]): boolean => meanOf(seconds.map(({ failed }) => failed > 0)) > 1 - KEPT_SHARE;

const endedIn = (seconds: LoadSecond[]): { failed: number; all: number } => ({
  failed: sum(seconds.map(({ failed }) => failed)),
  all: sum(seconds.map(({ answered, failed }) => answered + failed)),
});

/** When the first row of a series begins from which on it holds but for moments; undefined without one. */
function startOfMost(holds: boolean[], looks: { at: number }[]): number | undefined {
  const first = holds.findIndex((_, i) => {
    const rest = holds.slice(i);
    return rest.length >= IN_A_ROW && rest.slice(0, IN_A_ROW).every(Boolean) && meanOf(rest) >= KEPT_SHARE;
  });
  return first < 0 ? undefined : looks[first]!.at;
}

const meanOf = (holds: boolean[]): number => holds.filter(Boolean).length / holds.length;

/** From this share on, a deployment keeps all of its capacity under an overload, but for chance. */
const ALL = 0.95;
/** Answers are late if executions exceed them by this share. */
const LATE = 0.1;

/**
 * An overload as a clause.
 * @param held executions per second that the deployment sustains
 */
export function overloadClause(overload: Overload, held: number): string {
  const { rate, refused, refusedP50, failed, answered, deaths, unclear } = overload;
  const soon = refusedP50 === undefined ? '' : ` (after ${milliseconds(refusedP50)}, median)`;
  const at = `at ${format(rate)}/s`;
  if (unclear !== undefined) return `what it does ${at} is unknown: ${unclear}`;
  const clauses = [
    `it keeps ${keptText(overload, held)}`,
    ...(refused > 0 ? [`refuses ${percent(refused / (answered + refused + failed))} with 503${soon}`] : []),
    deaths.length > 0 ? deaths.join(', ') : 'nothing dies',
    backClause(overload),
  ];
  return `${at} ${clauses.slice(0, -1).join(', ')}, and ${clauses.at(-1)}`;
}

/**
 * Goodput under the overload as a share of what the deployment sustains: executions that succeed and whose client got its
 * answer. Some answer before they work, some work though their client has given up.
 */
function keptText({ rate, seconds, served, completed }: Overload, held: number): string {
  const most = Math.min(held, rate);
  const answers = served / seconds / most;
  const executions = (completed ?? 0) / most;
  const kept = Math.min(answers, executions);
  if (kept >= ALL) return 'all of that';
  const late = executions - answers > LATE;
  return `${percent0(kept)} of that${late ? ` (it executes ${percent0(Math.min(1, executions))}, but clients have given up)` : ''}`;
}

const percent0 = (share: number): string => `${Math.round(100 * share)} %`;

function backClause({ backSeconds, returnRate, returnSeconds, collapsedTo, failsOn }: Overload): string {
  if (collapsedTo !== undefined) return `it does not come back at ${format(returnRate)}/s`;
  if (failsOn !== undefined)
    return `at least ${percent(failsOn)} of the requests still fail ${returnSeconds} s later, though nothing waits`;
  if (backSeconds === undefined) return `it is not back to normal ${returnSeconds} s later`;
  return backSeconds < 1 ? 'it is back to normal at once' : `it is back to normal after ${Math.ceil(backSeconds)} s`;
}
