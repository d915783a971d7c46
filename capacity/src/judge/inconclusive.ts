import { max } from 'simple-statistics';
import { formatNumber, formatSeconds, formatPercent } from '../core/formats.js';
import type { StepRecord } from '../model/step.js';
import type { Reason } from '../model/verdict.js';
import { MIN_SAMPLES } from '../stats/intervals.js';
import { disturbanceReasons } from './events.js';
import { asynchronousUnseen } from './asynchronous.js';
import { othersTookCores } from '../observe/machine-use.js';
import { memoryUnseen } from './memory.js';
import { quickAnswers } from './objectives.js';

/** Share of a step's seconds in which n8n's count must have been read to judge the backlog. */
export const COUNTED_SHARE = 0.5;

/** Above this share of its cores the generator is the limit, not the deployment. */
export const GENERATOR_CPU_SHARE = 0.8;

/** With idle clients, k6 sends a request late only when it lacks CPU time. */
const MOST_LAG_SECONDS = 0.05;

/** Share of k6's own maximum rate above which its queueing adds to the latency that it reports. */
export const GENERATOR_LIMIT_SHARE = 0.5;

/**
 * Returns the reasons why a step is inconclusive. The generator failed or was the limit, or the cluster interfered. Or there were
 * too few requests, or the counts of n8n or k6 could not be read.
 * @param requests answered and failed requests of the measured part; Infinity if the caller checks the number itself
 */
export function inconclusiveReasons(step: StepRecord, requests: number): Reason[] {
  const reasons: Reason[] = disturbanceReasons(step.events);
  const { summary, k6 } = step;
  if (k6.message) reasons.push({ code: 'k6', text: k6.message });
  if (k6.cpuShare !== null && k6.cpuShare >= GENERATOR_CPU_SHARE) {
    reasons.push({
      code: 'generator',
      text: `k6 used ${formatPercent(k6.cpuShare)} of the machine's cores: the load generator was the limit, not the deployment`,
    });
  }
  if (k6.limit !== undefined && requestRate(step) > GENERATOR_LIMIT_SHARE * k6.limit) {
    const text = `${requestRate(step).toFixed(0)}/s is more than half of k6's maximum on this machine, ${k6.limit.toFixed(0)}/s`;
    reasons.push({ code: 'generator', text });
  }
  reasons.push(...clockJumped(step), ...notOffered(step), ...countedTooMany(step));
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
    reasons.push({ code: 'count-unreadable', text: COUNT_UNREADABLE });
  }
  if (summary.dropped > 0 && quickAnswers(step)) {
    const text = `k6 dropped ${summary.dropped} requests although the deployment answered quickly`;
    reasons.push({ code: 'generator', text });
  }
  return reasons;
}

/** Of a step without a count of executions. */
export const COUNT_UNREADABLE = "n8n's execution count could not be read";

/** A clock that jumps makes the times of a step wrong. */
export function clockJumped({ clockJumpSeconds }: StepRecord): Reason[] {
  if (clockJumpSeconds === undefined) return [];
  const jump = `${clockJumpSeconds.toFixed(1)} s`;
  const text = `the clock of this machine jumped by ${jump} (it was set, or the machine was suspended), so times of the step are wrong; let NTP slew it, and run again`;
  return [{ code: 'clock', text }];
}

/** Longest gap between two readings of n8n's count or memory: in seconds, and as a share of a longer step. */
const [LONGEST_GAP_SECONDS, LONGEST_GAP_SHARE] = [10, 0.1];

/**
 * The longest time without a reading, in seconds; undefined if it is too short to hide anything that matters.
 * @param looks times of the readings, in seconds of the step
 */
export function hidingGap(looks: number[], seconds: number): number | undefined {
  const at = [0, ...looks, seconds];
  const gap = max(at.slice(1).map((time, i) => time - at[i]!));
  return gap > Math.max(LONGEST_GAP_SECONDS, LONGEST_GAP_SHARE * seconds) ? gap : undefined;
}

/** What n8n's count does not show of a step: too many of its seconds, or too many in a row. */
function seldomCounted({ backlog, measuredFrom, measuredTo, phases }: StepRecord): Reason[] {
  const seconds = (measuredTo - measuredFrom) / 1000;
  const unreadable = (text: string): Reason[] => [{ code: 'count-unreadable', text }];
  if (backlog.length < COUNTED_SHARE * seconds)
    return unreadable(
      `n8n's execution count could be read in only ${backlog.length} of ${formatNumber(seconds)} seconds`,
    );
  // An overloaded n8n may not answer for a while. A burst and an overload are judged by the counts before and after that.
  if (phases) return [];
  const gap = hidingGap(
    backlog.map((b) => b.at),
    seconds,
  );
  if (gap === undefined) return [];
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

/** What a step may have hidden: full memory, and the loss of executions. An overload is judged by what did not end (judge/overload.ts). */
export const unseenReasons = (step: StepRecord): Reason[] => [
  ...memoryUnseen(step),
  ...lossUnclear(step),
  ...cutShort(step),
  ...cpuUnlimited(step),
  ...asynchronousUnseen(step),
];

/** An instance that used more CPU than its limit allows would be slower with the limit. */
const cpuUnlimited = ({ cpuAboveLimit = [] }: StepRecord): Reason[] =>
  cpuAboveLimit.map(({ instance, cores, limitCores }) => ({
    code: 'cpu-limit',
    text: `${instance} used ${cores.toFixed(2)} cores of its limit of ${formatNumber(limitCores)}, which is not enforced here`,
  }));

/** Largest share of the accepted executions whose loss may be hidden by requests without a correct answer. */
const MOST_HIDDEN_LOSS = 0.001;

/**
 * A request that timed out may have been executed all the same. Its execution is then counted in the place of an accepted one
 * that was lost.
 */
function lossUnclear({ executions, aborted, cut }: StepRecord): Reason[] {
  const { unproved = 0, accepted = 0, completed = 0 } = executions ?? {};
  const hidden = Math.min(unproved, accepted + unproved - completed);
  if (aborted || cut || hidden <= MOST_HIDDEN_LOSS * accepted) return [];
  const text = `${unproved} requests got no correct answer, and ${Math.max(0, completed - accepted)} more executions ended than were accepted: some accepted executions may have been lost`;
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

/**
 * What made the deployment look slower than it is: cores that it lacked, and requests that k6 sent late, since an answer is timed
 * from when its request was due. A step that holds in spite of that still holds.
 */
export const slowedBy = (step: StepRecord): Reason[] => [...sentLate(step), ...coresTaken(step)];

function sentLate({ summary: { lagP95, dropped } }: StepRecord): Reason[] {
  if (lagP95 === undefined || lagP95 <= MOST_LAG_SECONDS || dropped > 0) return [];
  const text = `k6 sent 5 % of the requests more than ${formatSeconds(lagP95)} late although it had idle virtual users`;
  return [{ code: 'generator', text }];
}

function coresTaken({ machine }: StepRecord): Reason[] {
  if (!machine || !othersTookCores(machine)) return [];
  const { cores, takenCores, busyCores } = machine;
  const text = `other processes of this machine took ${takenCores.toFixed(2)} of its ${cores} cores while ${formatPercent(busyCores / cores)} of them were busy; stop them and run again`;
  return [{ code: 'other-processes', text }];
}

/** The user ended the step, and the drain was short: what did not end in it may still have been under way. */
function cutShort({ executions, cut }: StepRecord): Reason[] {
  if (!executions || !cut || executions.completed >= executions.accepted) return [];
  return [
    { code: 'count-unreadable', text: `${unended(executions)} after the run was ended: whether they would is unknown` },
  ];
}

/** What did not end, in words. */
export const unended = ({ accepted, completed, drainSeconds }: NonNullable<StepRecord['executions']>) =>
  `${accepted - completed} of ${accepted} accepted executions did not end within a drain of ${drainSeconds.toFixed(0)} s`;
