import { max } from 'simple-statistics';
import type { StepVerdict, Reason, Verdict } from '../model/verdict.js';
import type { StepRecord } from '../model/step.js';
import { SHARE_ABOVE, type Slo } from '../model/plan.js';
import { format, mebibytes, mib, milliseconds, percent } from '../core/formats.js';
import { deathReasons, disturbanceReasons } from './events.js';
import {
  brokenClaims,
  claimsOf,
  errorsOf,
  grownBy,
  openClaims,
  partClaims,
  quickAnswers,
  type Claim,
} from './objectives.js';
import { upperBound95, MIN_SAMPLES } from '../stats/intervals.js';
import { condensed, trend } from '../stats/trend.js';

/** Share of a step's seconds in which n8n's count must have been read to judge the backlog. */
export const COUNTED_SHARE = 0.5;
/** Above this share of its cores the generator is the limit, not the deployment. */
export const GENERATOR_CPU_SHARE = 0.8;
/** With idle clients, k6 sends a request late only when it lacks CPU time; the lag is part of the latency that is judged. */
const MOST_LAG_SECONDS = 0.05;
/** Share of k6's own maximum rate above which its queueing adds to the latency that it reports. */
const GENERATOR_LIMIT_SHARE = 0.5;
/** A trend counts if chance explains it less often than this … */
const TREND_P_VALUE = 0.01;
/** … and if the growth over the step exceeds this share of the objective (latency) or of the arrivals (backlog). */
const LATENCY_GROWTH_SHARE = 0.25;
const BACKLOG_GROWTH_SHARE = 0.01;
const BACKLOG_GROWTH_LEAST = 5;
/** A backlog that grows by more standard deviations than this is not explained by chance, whenever in the step it does. */
const CLEAR_DEVIATIONS = 3;

/**
 * Judges one step from its record alone. A disturbance outside the deployment makes the step INCONCLUSIVE, unless an instance
 * of the deployment died (see `weigh`).
 */
export function judgeStep(step: StepRecord, slo: Slo): StepVerdict {
  const { failed: failures, requests } = errorsOf([step]);
  const claims = claimsOf([step], slo);
  const parts = partClaims([step], slo);
  const failed = [
    ...deathReasons(step),
    ...memoryReasons(step),
    ...brokenClaims(step.aborted ? claims.map(decided) : claims),
    ...brokenClaims(parts),
    ...incomplete(step),
    ...growing(step, slo),
  ];
  const brokenEarly = step.aborted === true && failed.some((r) => r.code === 'errors');
  const unclear = [
    ...inconclusiveReasons(step, requests).filter((r) => !brokenEarly || r.code !== 'too-few-samples'),
    ...unseenReasons(step),
    ...(failed.length > 0 ? coresTaken(step) : []),
  ];
  const judged = weigh(failed, unclear);
  // What a part of a mix meets need not be proved of it alone: its share may be small.
  const open = openClaims([...claims, ...parts.filter((c) => !c.met)]);
  const verdict = judged === 'PASS' && open.length > 0 ? 'INCONCLUSIVE' : judged;
  return {
    verdict,
    reasons: judged === 'FAIL' ? failed : judged === 'INCONCLUSIVE' ? unclear : open,
    errorRate: requests === 0 ? 0 : failures / requests,
    errorRateUpperBound: upperBound95(failures, requests),
  };
}

/** Nothing that could have followed would have met a percentile that was not met when k6 ended the step (see `decidedBy`). */
const decided = (claim: Claim): Claim =>
  claim.met || !(claim.objective in SHARE_ABOVE) ? claim : { ...claim, state: 'broken' };

/**
 * The verdict from the reasons to fail and the disturbances. A death is always a FAIL. Lost executions and full memory are one
 * unless the disturbance explains them: neither a generator that sends late nor a change of the number of pods does. If only
 * n8n's count is missing, k6's measurements stand, and a broken objective is a FAIL.
 */
export function weigh(failed: Reason[], unclear: Reason[]): Verdict {
  const isOf = (codes: string[]) => (r: Reason) => codes.includes(r.code);
  if (failed.some(isOf(['died']))) return 'FAIL';
  if (failed.some(isOf(['completed', 'memory'])) && !unclear.some(isOf(EXPLAINING))) return 'FAIL';
  if (unclear.some((r) => r.code !== 'count-unreadable')) return 'INCONCLUSIVE';
  if (failed.length > 0) return 'FAIL';
  return unclear.length > 0 ? 'INCONCLUSIVE' : 'PASS';
}

/** Disturbances that may delay executions beyond the drain, or move load to other pods. */
const EXPLAINING = ['cluster', 'clock', 'other-processes', 'k6'];

/** Above this share of the cores, what others took may move the capacity by more than a search is precise. */
const TAKEN_SHARE = 0.1;

/** Other processes had cores that the deployment lacked. A step that holds in spite of them still holds. */
export function coresTaken({ machine }: StepRecord): Reason[] {
  if (!machine || machine.takenCores <= TAKEN_SHARE * machine.cores) return [];
  const { cores, takenCores, busyCores } = machine;
  const text = `other processes of this machine took ${takenCores.toFixed(2)} of its ${cores} cores while ${percent(busyCores / cores)} of them were busy; stop them and run again`;
  return [{ code: 'other-processes', text }];
}

/** Share of its memory limit above which an instance is about to be OOM-killed: n8n's next peak takes it there. */
export const MEMORY_SHARE = 0.9;

/** Instances that used nearly all of their memory. */
export function memoryReasons({ memory = [] }: StepRecord): Reason[] {
  return memory
    .filter(({ usedBytes, limitBytes }) => usedBytes > MEMORY_SHARE * limitBytes)
    .map(({ instance, usedBytes, limitBytes }) => ({
      code: 'memory',
      clear: true,
      text: `${instance} used ${mib(mebibytes(usedBytes))} of ${mib(mebibytes(limitBytes))}, ${percent(usedBytes / limitBytes)} of its memory limit; ${percent(MEMORY_SHARE)} is the most that is safe`,
    }));
}

/** What was accepted must end, whatever the objective for errors says; `cutShort` judges a step that the user ended. */
function incomplete({ executions, cut }: StepRecord): Reason[] {
  if (!executions || cut || executions.completed >= executions.accepted) return [];
  return [{ code: 'completed', clear: true, text: unended(executions) }];
}

/** The user ended the step, and the drain was short: what did not end in it may still have been under way. */
function cutShort({ executions, cut }: StepRecord): Reason[] {
  if (!executions || !cut || executions.completed >= executions.accepted) return [];
  return [
    { code: 'count-unreadable', text: `${unended(executions)} after the run was ended: whether they would is unknown` },
  ];
}

const unended = ({ accepted, completed, drainSeconds }: NonNullable<StepRecord['executions']>) =>
  `${accepted - completed} of ${accepted} accepted executions did not end within a drain of ${drainSeconds.toFixed(0)} s`;

/**
 * A rate is not sustained while the backlog or the latency grows, even if every answer meets the SLO. A reason for the
 * backlog of executions and one for the median latency, each if it grows by more than chance explains and by enough to
 * matter. Steps without a rate, as closed ones, are not judged, nor recorded arrivals, whose rate itself rises and falls.
 * @param slo latency growth is compared with its p50, else p95, else p99; without any it is not judged
 */
export function growing({ summary, backlog, rate, replayed }: StepRecord, slo: Slo): Reason[] {
  if (rate === undefined || replayed) return [];
  const reasons: Reason[] = [];
  const pile = trend(condensed(backlog.map((b) => b.executions)), condensed(backlog.map((b) => b.at)));
  const piled = pile.slope * ((backlog.at(-1)?.at ?? 0) - (backlog[0]?.at ?? 0));
  const allowed = Math.max(BACKLOG_GROWTH_LEAST, BACKLOG_GROWTH_SHARE * summary.offered);
  // Departures of a busy server with exponential service are a Poisson process: n of them vary by √n.
  const clearly = allowed + CLEAR_DEVIATIONS * Math.sqrt(summary.offered);
  if (pile.pValue < TREND_P_VALUE && piled > allowed) {
    reasons.push({
      code: 'backlog',
      clear: piled > clearly,
      text: `the backlog grows by ${pile.slope.toFixed(1)} executions per second (${backlog.at(-1)!.executions} at the end of the step)`,
    });
  } else if (grownBy({ backlog }) > clearly) {
    const text = `the backlog grew by ${Math.round(grownBy({ backlog }))} executions in a part of the step (${backlog.at(-1)!.executions} at its end)`;
    reasons.push({ code: 'backlog', clear: true, text });
  }
  // Of random arrivals, some seconds have none.
  const medians = summary.seconds.flatMap(({ at, p50 }) => (p50 === undefined ? [] : [{ at, p50 }]));
  const { slope, pValue } = trend(condensed(medians.map((m) => m.p50)), condensed(medians.map((m) => m.at)));
  const grown = slope * ((medians.at(-1)?.at ?? 0) - (medians[0]?.at ?? 0));
  const limit = slo.p50 ?? slo.p95 ?? slo.p99;
  if (limit !== undefined && pValue < TREND_P_VALUE && grown > LATENCY_GROWTH_SHARE * limit) {
    reasons.push({
      code: 'latency-trend',
      text: `latency grows by ${milliseconds(slope)} per second of the step`,
    });
  }
  return reasons;
}

/**
 * Why a step says nothing about the deployment: the generator failed or was the limit, the cluster interfered, there were too
 * few requests, or the counts of n8n or k6 could not be read.
 * @param requests answered and failed requests of the measured part; Infinity if the caller checks the number itself
 */
export function inconclusiveReasons(step: StepRecord, requests: number): Reason[] {
  const reasons: Reason[] = disturbanceReasons(step.events);
  const { summary, k6 } = step;
  if (k6.message) reasons.push({ code: 'k6', text: k6.message });
  if (k6.cpuShare !== null && k6.cpuShare >= GENERATOR_CPU_SHARE) {
    reasons.push({
      code: 'generator',
      text: `k6 used ${percent(k6.cpuShare)} of the machine's cores: the load generator was the limit, not the deployment`,
    });
  }
  if (summary.lagP95 !== undefined && summary.lagP95 > MOST_LAG_SECONDS && summary.dropped === 0) {
    const text = `k6 sent one request of 20 more than ${milliseconds(summary.lagP95)} late although it had clients to spare`;
    reasons.push({ code: 'generator', text });
  }
  if (k6.limit !== undefined && requestRate(step) > GENERATOR_LIMIT_SHARE * k6.limit) {
    const text = `${requestRate(step).toFixed(0)}/s is more than half of k6's maximum on this machine, ${k6.limit.toFixed(0)}/s`;
    reasons.push({ code: 'generator', text });
  }
  if (step.clockJumpSeconds !== undefined) {
    const jump = `${step.clockJumpSeconds.toFixed(1)} s`;
    const text = `the clock of this machine jumped by ${jump} (it was set, or the machine was suspended), so times of the step are wrong; let NTP slew it, and run again`;
    reasons.push({ code: 'clock', text });
  }
  reasons.push(...notOffered(step), ...countedTooMany(step));
  if (requests < MIN_SAMPLES) {
    reasons.push({
      code: 'too-few-samples',
      text: `${requests} requests are too few, at least ${MIN_SAMPLES} are needed; use a longer --step-duration`,
    });
  }
  if (k6.cpuShare === null && !k6.message) {
    reasons.push({ code: 'count-unreadable', text: "k6's CPU use could not be read" });
  }
  if (step.executions !== null) reasons.push(...seldomCounted(step));
  if (step.executions === null) {
    reasons.push({ code: 'count-unreadable', text: "n8n's execution count could not be read" });
  }
  if (summary.dropped > 0 && quickAnswers(step)) {
    const text = `k6 dropped ${summary.dropped} requests although the deployment answered quickly`;
    reasons.push({ code: 'generator', text });
  }
  return reasons;
}

/** The longest time in which n8n's count may not be read: so many seconds, or this share of a longer step. */
const [LONGEST_GAP_SECONDS, LONGEST_GAP_SHARE] = [10, 0.1];

/** What n8n's count does not show of a step: too many of its seconds, or too many in a row. */
function seldomCounted({ backlog, measuredFrom, measuredTo, phases }: StepRecord): Reason[] {
  const seconds = (measuredTo - measuredFrom) / 1000;
  const unreadable = (text: string): Reason[] => [{ code: 'count-unreadable', text }];
  if (backlog.length < COUNTED_SHARE * seconds)
    return unreadable(`n8n's execution count could be read in only ${backlog.length} of ${format(seconds)} seconds`);
  // An overloaded n8n may not answer for a while. A burst and an overload are judged by the counts before and after that.
  if (phases) return [];
  const at = [0, ...backlog.map((b) => b.at), seconds];
  const gap = max(at.slice(1).map((time, i) => time - at[i]!));
  if (gap <= Math.max(LONGEST_GAP_SECONDS, LONGEST_GAP_SHARE * seconds)) return [];
  return unreadable(`n8n's execution count could not be read for ${gap.toFixed(0)} s of the step`);
}

/** Share of the planned requests that must have been due: with fewer, another load was judged than the one asked for. */
const OFFERED_SHARE = 0.99;

/** The generator did not offer what was asked, and nothing of the deployment explains it. */
function notOffered({ rate, phases, summary, measuredFrom, measuredTo, aborted, cut, events }: StepRecord): Reason[] {
  if (rate === undefined || aborted || cut || events.some((e) => e.kind === 'died')) return [];
  const whole = { name: undefined, rate, from: 0, to: (measuredTo - measuredFrom) / 1000, sent: summary.offered };
  // Dropped requests are counted for all phases together.
  const parts = phases?.map((p) => ({ ...p, sent: p.answered + p.failed + summary.dropped })) ?? [whole];
  return parts.flatMap((part) => {
    const planned = Math.floor(part.rate * (part.to - part.from));
    // One arrival may fall on either side of each end of a part.
    if (part.sent >= OFFERED_SHARE * planned - 1) return [];
    const where = part.name ? ` of its ${part.name} phase` : '';
    return [{ code: 'generator', text: `k6 sent only ${part.sent} of ${planned} planned requests${where}` }];
  });
}

/** What a step may have hidden: full memory, and the loss of executions. An overload is not judged by it. */
export const unseenReasons = (step: StepRecord): Reason[] => [
  ...memoryUnseen(step),
  ...lossUnclear(step),
  ...cutShort(step),
];

/** Components whose memory nobody saw: they may be about to be OOM-killed. */
const memoryUnseen = ({ memoryUnseen: unseen = [] }: StepRecord): Reason[] =>
  unseen.map((component) => ({
    code: 'count-unreadable',
    text: `the memory of ${component} could not be read, so it is unknown whether it is near its limit`,
  }));

/** Requests without a correct answer may hide the loss of so large a share of the accepted executions, and no larger one. */
const MOST_HIDDEN_LOSS = 0.001;

/**
 * A request that timed out may have been executed all the same. Its execution is then counted in the place of an accepted one
 * that was lost.
 */
function lossUnclear({ executions, aborted, cut }: StepRecord): Reason[] {
  const { unproved = 0, accepted = 0, completed = 0 } = executions ?? {};
  const hidden = Math.min(unproved, accepted + unproved - completed);
  if (aborted || cut || hidden <= MOST_HIDDEN_LOSS * accepted) return [];
  const text = `${unproved} requests got no correct answer, and ${Math.max(0, completed - accepted)} executions more ended than were accepted: whether each accepted one ended is unknown`;
  return [{ code: 'count-unreadable', text }];
}

/** More executions ended than requests were sent: n8n does other work, or its count is wrong. */
function countedTooMany({ executions, aborted }: StepRecord): Reason[] {
  // k6 does not record the requests that it interrupts.
  if (!executions || aborted || executions.completed <= (executions.sent ?? Infinity)) return [];
  const { completed, sent } = executions;
  const text = `n8n counts ${completed} executions of ${sent} requests: something else runs these workflows, or the count is wrong`;
  return [{ code: 'count-unreadable', text }];
}

/** Requests per second that k6 had to send: the arrival rate, or in a closed step the requests that ended. */
const requestRate = ({ rate, summary, measuredFrom, measuredTo }: StepRecord) =>
  rate ?? (summary.answered + summary.failed) / ((measuredTo - measuredFrom) / 1000);
