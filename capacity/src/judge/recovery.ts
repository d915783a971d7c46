import { sum } from 'simple-statistics';
import { isUnanswered, REFUSED } from '../load/samples.js';
import { PERCENTILES, SHARE_ABOVE, type Slo } from '../model/plan.js';
import type { Overload } from '../model/reports.js';
import type { LoadSecond, PhaseRecord, StepRecord } from '../model/step.js';
import { clusteringFactor, lowerBound95, Z95 } from '../stats/intervals.js';
import { IN_A_ROW } from './burst-series.js';
import { COUNTED_SHARE } from './inconclusive.js';

/** Seconds of arrivals: a deployment has come back if it has at most this backlog. */
const BACK_BACKLOG_SECONDS = 1;
const BACK_BACKLOG_LEAST = 5;
/** Share of the following samples that must show it. Random arrivals at 80 % of the capacity also exceed it for a moment. */
const KEPT_SHARE = 0.75;
/** At the end of an overload the deployment works as it does when too much arrives. */
const SATURATED_SECONDS = 10;

const allowedBacklog = ({ rate }: PhaseRecord): number => BACK_BACKLOG_LEAST + BACK_BACKLOG_SECONDS * rate;
const within = <T extends { at: number }>(series: T[], from: number, to: number): T[] =>
  series.filter(({ at }) => at >= from && at < to);

/** Executions that succeeded per second between two times of a step; undefined where they were counted too seldom. */
export function completedBetween({ backlog }: StepRecord, from: number, to: number): number | undefined {
  const looks = backlog.filter((b) => b.succeeded !== undefined && b.at >= from && b.at <= to);
  const [first, last] = [looks[0], looks.at(-1)];
  if (!first || !last || last.at - first.at < COUNTED_SHARE * (to - from)) return undefined;
  return Math.max(0, last.succeeded! - first.succeeded!) / (last.at - first.at);
}

/** Seconds of the return after which answers are within the SLO and nothing waits; undefined if that does not last. */
export function backAfter(step: StepRecord, after: PhaseRecord, slo: Slo): number | undefined {
  const objective = slo.p50 ?? slo.p95 ?? slo.p99 ?? Infinity;
  const answers = within(step.summary.seconds, after.from, after.to);
  const isQuick = answers.map((second) => !failsMore([second], slo.errors) && (second.p50 ?? 0) <= objective);
  const idle = step.backlog.filter(({ at }) => at >= after.from && at <= after.to);
  const isIdle = idle.map(({ waiting = 0 }) => waiting <= allowedBacklog(after));
  const quickFrom = startOfMost(isQuick, answers);
  const idleFrom = startOfMost(isIdle, idle);
  if (quickFrom === undefined || idleFrom === undefined) return undefined;
  const back = Math.max(quickFrom, idleFrom);
  const rest = within(answers, back, after.to);
  const failedLater = failedExecutions(step, back, after.to);
  return failsMore(rest, slo.errors, failedLater) || isSlow(rest, slo) ? undefined : back - after.from;
}

/** When the first row of a series begins from which on it holds but for moments; undefined without one. */
function startOfMost(holds: boolean[], looks: { at: number }[]): number | undefined {
  const first = holds.findIndex((_, i) => {
    const rest = holds.slice(i);
    return rest.length >= IN_A_ROW && rest.slice(0, IN_A_ROW).every(Boolean) && shareTrue(rest) >= KEPT_SHARE;
  });
  return first < 0 ? undefined : looks[first]!.at;
}

const shareTrue = (holds: boolean[]): number => holds.filter(Boolean).length / holds.length;

/**
 * What a deployment that is not back shows: that it never comes back by itself, that it recovers, or neither. While executions wait,
 * answers are late: then it recovers if they become fewer, or if more end than arrive. Executions whose clients have given up wait,
 * too, and are not counted. With nothing waiting it has no reason to fail; but one that still refuses may only be careful.
 */
export function judgeRecovery(
  step: StepRecord,
  after: PhaseRecord,
  slo: Slo,
): Pick<Overload, 'collapsedTo' | 'failsOn' | 'unsettled'> {
  const stuck = stuckAt(step, after);
  if (stuck !== undefined) return { collapsedTo: stuck };
  const looks = step.backlog.filter(({ at }) => at >= after.from && at <= after.to);
  if (looks.length < IN_A_ROW) return { unsettled: true };
  const [first, last] = outerThirds(looks).map(
    (third) => sum(third.map((look) => look.waiting ?? look.executions)) / third.length,
  ) as [number, number];
  const givenUp = sum(step.phases!.map((phase) => countFailures(phase, isUnanswered)));
  if (Math.max(last, givenUp) > allowedBacklog(after))
    return worksOff(first - last, after) || endsMore(step, after) ? {} : { unsettled: true };
  const failsOn =
    countFailures(after, (why) => why === REFUSED) > after.failed / 2 ? undefined : failsOnBy(step, after, slo);
  return failsOn === undefined ? { unsettled: true } : { failsOn };
}

/** Failed requests of a phase, of some kinds. */
const countFailures = ({ failures }: PhaseRecord, isOne: (why: string) => boolean): number =>
  sum(Object.entries(failures).map(([why, count]) => (isOne(why) ? count : 0)));

/**
 * Executions per second, if they are fewer than the requests that arrive though these are no more than the deployment takes:
 * then it never comes back by itself. First measured after the overload alone, where what it did before hides nothing. Else also over
 * the end of the overload.
 */
function stuckAt(step: StepRecord, after: PhaseRecord): number | undefined {
  const back = completedBetween(step, after.from, after.to);
  const arrived = arrivedIn(step, after);
  if (back !== undefined && mostByChance(back, after) < arrived) return back;
  // What ends more than arrives works off what waits.
  if (back !== undefined && back >= arrived) return undefined;
  const saturated = { from: Math.max(0, after.from - SATURATED_SECONDS), to: after.to };
  const ended = completedBetween(step, saturated.from, saturated.to);
  // Without answers and without a count, nothing is executed.
  if (ended === undefined) return after.answered === 0 ? 0 : undefined;
  return mostByChance(ended, saturated) < arrived ? ended : undefined;
}

/** The highest rate that chance may show. A count varies by at most its square root. */
function mostByChance(perSecond: number, { from, to }: Pick<PhaseRecord, 'from' | 'to'>): number {
  const count = perSecond * (to - from);
  return (count + Z95 * Math.sqrt(count)) / (to - from);
}

/** Requests per second that came and left work: not those that were refused, or answered with an error. No more than the rate. */
function arrivedIn({ summary }: StepRecord, after: PhaseRecord): number {
  const { rate, from, to } = after;
  const sent = sum(within(summary.seconds, from, to).map((second) => second.sent));
  return Math.min(rate, (sent - countFailures(after, (why) => !isUnanswered(why))) / (to - from));
}

/** Whether chance does not explain by how much fewer wait in the last third than in the first: the arrivals between the two vary. */
const worksOff = (fewer: number, { rate, from, to }: PhaseRecord): boolean =>
  fewer > Z95 * Math.sqrt((2 / 3) * rate * (to - from));

/** Whether chance does not explain by how much more ends than arrives, and it still does at the end. */
function endsMore(step: StepRecord, { rate, from, to }: PhaseRecord): boolean {
  const seconds = to - from;
  const ended = completedBetween(step, from, to) ?? 0;
  const atLast = completedBetween(step, to - seconds / 3, to) ?? 0;
  return (ended - rate) * seconds > Z95 * Math.sqrt(rate * seconds) && atLast >= rate;
}

/**
 * Returns the share of requests that failed, or whose executions failed, in the last third of the return, at 95 % confidence. It
 * counts only if it exceeds the objective and is above half of the share in the first third: a deployment that recovers fails less
 * and less.
 */
function failsOnBy(step: StepRecord, { from, to }: PhaseRecord, { errors }: Slo): number | undefined {
  const [first, last] = outerThirds(within(step.summary.seconds, from, to));
  const failedLater = failedExecutions(step, to - (to - from) / 3, to);
  const [before, at] = [endedIn(first), endedIn(last)];
  if (Math.max(at.failed, failedLater) / at.all < before.failed / before.all / 2) return undefined;
  const least = leastFailing(last, failedLater);
  return least > errors ? least : undefined;
}

/** The first third of a series, and the last. */
function outerThirds<T>(series: T[]): [T[], T[]] {
  const part = Math.ceil(series.length / 3);
  return [series.slice(0, part), series.slice(-part)];
}

/** Executions that failed between two times, their clients answered or not. */
function failedExecutions({ backlog }: StepRecord, from: number, to: number): number {
  const counts = backlog.filter(({ at }) => at >= from && at <= to).map(({ failed = 0 }) => failed);
  return counts.length === 0 ? 0 : Math.max(0, counts.at(-1)! - counts[0]!);
}

/**
 * Least share of requests that fail, at 95 % confidence. Failures of one moment count as few: they share their fate.
 * @param failedLater executions that failed in that time, of requests that were answered
 */
function leastFailing(seconds: LoadSecond[], failedLater = 0): number {
  const { failed, all } = endedIn(seconds);
  const together = clusteringFactor(
    seconds.map((second) => ({ seen: second.failed, of: second.answered + second.failed })),
  );
  return lowerBound95(Math.min(all, Math.max(failed, failedLater)) / together, all / together);
}

const failsMore = (seconds: LoadSecond[], errors: number, failedLater = 0): boolean =>
  leastFailing(seconds, failedLater) > errors;

/** Whether more answers are surely above an objective than may be. */
function isSlow(seconds: LoadSecond[], slo: Slo): boolean {
  return PERCENTILES.filter((p) => slo[p] !== undefined).some((p) => {
    const counts = seconds.map(({ slow, answered }) => ({ seen: slow?.[p] ?? 0, of: answered }));
    const [seen, of, together] = [
      sum(counts.map((c) => c.seen)),
      sum(counts.map((c) => c.of)),
      clusteringFactor(counts),
    ];
    return lowerBound95(seen / together, of / together) > SHARE_ABOVE[p];
  });
}

const endedIn = (seconds: LoadSecond[]): { failed: number; all: number } => ({
  failed: sum(seconds.map(({ failed }) => failed)),
  all: sum(seconds.map(({ answered, failed }) => answered + failed)),
});
