import { closedLoopOf, promisedTarget, searchOf } from '../plan/kinds.js';
import type { Phase, RatePlan, Slo } from '../model/plan.js';
import type { Overload } from '../model/reports.js';
import type { PhaseRecord, StepRecord } from '../model/step.js';
import type { LoadVerdict, Reason } from '../model/verdict.js';
import { REFUSED } from '../load/samples.js';
import { formatNumber, formatSeconds, formatPercent } from '../core/formats.js';
import { deathReasons } from './events.js';
import { inconclusiveReasons, unended } from './inconclusive.js';
import { backAfter, completedBetween, judgeRecovery } from './recovery.js';
import { ROUNDING, throughput, upperEnd, type Standing } from './sustained.js';

/** Length of the overload, and of what follows, in seconds: long enough to tell a collapse from chance (bench/truth). */
const SECONDS = 30;
const SECONDS_AFTER = 20;
/** Length of what follows the overload of a search, which is short of time. */
const SECONDS_AFTER_SEARCH = 15;
/** Multiple of the target that is sent as an overload … */
const OF_TARGET = 3;
/** … or, without a target, this multiple of the middle of the capacity's interval, followed by this share of it. */
const OF_CAPACITY = 2;
const SHARE_AFTER = 0.8;

/** Whether a step is an overload, which no rate is judged by. */
export const isOverload = ({ phases = [] }: { phases?: Pick<Phase, 'name'>[] }): boolean =>
  phases.some(({ name }) => name === 'overload');

/** What a load takes, per second: its capacity, or what its clients got through; undefined where no rate held. */
export function takenRate(rates: RatePlan, { verdict, capacity, steps }: LoadVerdict): number | undefined {
  const last = steps.at(-1)?.step;
  if (closedLoopOf(rates)) return last && throughput(last);
  return verdict === 'FAIL' ? undefined : capacity;
}

/**
 * Plans the overload that follows the rates of a load. With a target: three times the target, then the target. Without one: twice
 * the capacity or the plan's own multiple, then 0.8 times the capacity, to which a deployment must be able to return. Undefined if
 * no rate held.
 */
export function overloadPhases(rates: RatePlan, load: LoadVerdict): Phase[] | undefined {
  const taken = takenRate(rates, load);
  if (!taken) return undefined;
  const times = closedLoopOf(rates)?.overload ?? OF_CAPACITY;
  const middle = significant(Math.sqrt(taken * (upperEnd(load) ?? taken)));
  const promised = promisedTarget(rates);
  const [rate, after] = promised
    ? [OF_TARGET * promised.rate, promised.rate]
    : [times * middle, significant(SHARE_AFTER * middle)];
  return [
    { name: 'overload', rate, seconds: SECONDS },
    { name: 'return', rate: after, seconds: searchOf(rates) ? SECONDS_AFTER_SEARCH : SECONDS_AFTER },
  ];
}

const significant = (rate: number): number => Number(rate.toPrecision(3));

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
  const recovery = isBack || unclear ? {} : judgeRecovery(step, after, slo);
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
    ...recovery,
    ...(isBack && deaths.length === 0 && lostSome(step) && { unended: unended(step.executions!) }),
    ...(unclear && { unclear: unclear.text }),
    ...(notOffered && { notOffered: true as const }),
  };
}

/**
 * Whether a load bends under three times a target, as far as its overload shows: one that died, or lost executions, under no more than
 * that does not.
 * @param target arrivals per second, without headroom
 */
export function judgeBendingAt({ overload }: LoadVerdict, target: number): Standing {
  if (overload === undefined || !hasBroken(overload)) return 'held';
  return overload.rate <= OF_TARGET * target * (1 + ROUNDING) ? 'broken' : 'unknown';
}

/** Whether something died in an overload, or accepted executions were lost. */
export const hasBroken = ({ deaths, unended: lost }: Overload): boolean => deaths.length > 0 || lost !== undefined;

/** Whether accepted executions had not ended after the drain. What has died explains those that it held. */
const lostSome = ({ executions, aborted, cut }: StepRecord): boolean =>
  executions !== null && !aborted && !cut && executions.completed < executions.accepted;

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

/** From this share on, a deployment keeps all of its capacity under an overload, but for chance. */
const ALL = 0.95;
/** Answers are late if executions exceed them by this share. */
const LATE = 0.1;

/**
 * An overload as a clause.
 * @param held executions per second that the deployment sustains
 */
export function overloadClause(overload: Overload, held: number): string {
  const { rate, refused, refusedP50, failed, answered, deaths, unended: lost, unclear } = overload;
  const soon = refusedP50 === undefined ? '' : ` (after ${formatSeconds(refusedP50)}, median)`;
  const at = `at ${formatNumber(rate)}/s`;
  if (unclear !== undefined) return `what it does ${at} is unknown: ${unclear}`;
  const clauses = [
    `it keeps ${keptText(overload, held)}`,
    ...(refused > 0 ? [`refuses ${formatPercent(refused / (answered + refused + failed))} with 503${soon}`] : []),
    deaths.length > 0 ? deaths.join(', ') : 'nothing dies',
    ...(lost === undefined ? [] : [lost]),
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
  if (collapsedTo !== undefined) return `it does not come back at ${formatNumber(returnRate)}/s`;
  if (failsOn !== undefined)
    return `at least ${formatPercent(failsOn)} of the requests still fail ${returnSeconds} s later, though nothing waits`;
  if (backSeconds === undefined) return `it is not back to normal ${returnSeconds} s later`;
  return backSeconds < 1 ? 'it is back to normal at once' : `it is back to normal after ${Math.ceil(backSeconds)} s`;
}
