import { max, sum } from 'simple-statistics';
import { formatSeconds, formatPercent } from '../core/formats.js';
import { PERCENTILES, SHARE_ABOVE, type Percentile, type Slo } from '../model/plan.js';
import type { StepRecord } from '../model/step.js';
import type { Reason } from '../model/verdict.js';
import { estimateLateClustering, countLateFailures, countPossibleLateFailures } from './failed-later.js';
import { clusteringFactor, lowerBound95, MIN_SAMPLES, upperBound95, Z95 } from '../stats/intervals.js';

/**
 * Whether a sample decides an objective: `held` or `broken` by its bound at 95 % confidence, else `open`. A rate is claimed
 * only when every objective is held.
 */
export interface Claim {
  objective: 'errors' | Percentile | 'backlog';
  state: 'held' | 'broken' | 'open';
  /** Whether the sample itself meets the objective, chance aside. */
  met: boolean;
  /** What was seen and what is allowed. */
  text: string;
  /** Requests in all after which a sample like this one would decide; Infinity if none would. */
  needs: number;
}

/** The objectives of an SLO, judged from all steps at one rate together. */
export function judgeClaims(steps: StepRecord[], slo: Slo): Claim[] {
  return [
    errorClaim(steps, slo),
    ...PERCENTILES.flatMap((p) => latencyClaim(steps, slo, p)),
    ...(steps.every((s) => s.rate !== undefined && s.executions) ? [backlogClaim(steps)] : []),
  ];
}

/**
 * The objectives of each workload of a mix: those of the whole may hide that all answers of a rare one are slow. None for
 * records before 0.2, and for a load of one workload.
 */
export function partClaims(steps: StepRecord[], slo: Slo): Claim[] {
  const names = new Set(steps.flatMap(({ summary }) => Object.keys(summary.parts ?? {})));
  // Whose executions failed after their answer is not known.
  const later = sum(steps.map((step) => countLateFailures(step) + countPossibleLateFailures(step)));
  return [...names].flatMap((name) => {
    const parts = steps.flatMap(({ summary }) => summary.parts?.[name] ?? []);
    const [answered, failed] = [sum(parts.map((p) => p.answered)), sum(parts.map((p) => p.failed))];
    const of = answered + failed;
    if (of === 0) return [unseenPart(name)];
    const slow = (p: Percentile, limit: number) => {
      const seen = sum(parts.map((part) => part.slow[p] ?? 0));
      const text = `${name}: ${seen} of ${answered} answers took more than ${formatSeconds(limit)}`;
      return shareClaim(p, { seen, of: answered, clustering: estimateClustering(steps, p) }, SHARE_ABOVE[p], text);
    };
    return [
      shareClaim(
        'errors',
        { seen: failed, of, clustering: estimateClustering(steps), doubt: Math.min(later, answered) },
        slo.errors,
        `${name}: ${failed} of ${of} requests failed`,
      ),
      ...PERCENTILES.flatMap((p) => (slo[p] === undefined || answered === 0 ? [] : [slow(p, slo[p])])),
    ];
  });
}

/** A workload of a mix of which no request came: nothing is known of it. */
const unseenPart = (name: string): Claim => ({
  objective: 'errors',
  state: 'open',
  met: false,
  text: `${name}: no request came, as its share is small; use a longer --step-duration or a larger share`,
  needs: Infinity,
});

/** How much more than independent requests the seconds vary: in slow answers, or without a percentile in failed requests. */
const estimateClustering = (steps: StepRecord[], p?: Percentile): number =>
  clusteringFactor(
    steps.flatMap(({ summary }) =>
      summary.seconds.map((second) =>
        p === undefined
          ? { seen: second.failed, of: second.sent }
          : { seen: second.slow?.[p] ?? 0, of: second.answered },
      ),
    ),
  );

/** Requests of the measured parts that failed, were dropped, or whose execution failed later; and all. */
export function countErrors(steps: StepRecord[]): { failed: number; requests: number } {
  const failed = sum(steps.map((step) => step.summary.failed + droppedBy(step)));
  const requests = failed + sum(steps.map(({ summary }) => summary.answered));
  return { failed: Math.min(requests, failed + sum(steps.map(countLateFailures))), requests };
}

/** Requests that were not sent because all of k6's clients waited for answers: the deployment cannot take the rate. */
const droppedBy = (step: StepRecord): number => (quickAnswers(step) ? 0 : step.summary.dropped);

/** k6 has clients for answers up to 2 s above the service time; only slower answers explain drops. */
const SPARE_SECONDS = 2;
export const quickAnswers = ({ summary }: StepRecord) =>
  summary.failed === 0 && (summary.latency?.max ?? 0) < SPARE_SECONDS;

function errorClaim(steps: StepRecord[], slo: Slo): Claim {
  const { failed, requests } = countErrors(steps);
  const kinds = new Map<string, number>();
  for (const [kind, n] of steps.flatMap((s) => Object.entries(s.summary.failures)))
    kinds.set(kind, (kinds.get(kind) ?? 0) + n);
  const dropped = sum(steps.map(droppedBy));
  if (dropped > 0) kinds.set('not sent, as all clients waited for answers', dropped);
  const later = sum(steps.map(countLateFailures));
  if (later > 0) kinds.set('execution failed', later);
  const list = [...kinds].sort(([, a], [, b]) => b - a).map(([kind, n]) => `${n} × ${kind}`);
  const seen = `${failed} of ${requests} requests failed${list.length > 0 ? ` (${list.join(', ')})` : ''}`;
  const together =
    later > 0 ? Math.max(estimateClustering(steps), estimateLateClustering(steps)) : estimateClustering(steps);
  const doubt = Math.min(requests - failed, sum(steps.map(countPossibleLateFailures)));
  return shareClaim('errors', { seen: failed, of: requests, clustering: together, doubt }, slo.errors, seen);
}

function latencyClaim(steps: StepRecord[], slo: Slo, p: Percentile): Claim[] {
  const limit = slo[p];
  const answered = sum(steps.map(({ summary }) => summary.answered));
  if (limit === undefined || answered === 0) return [];
  const slow = sum(steps.map((step) => countSlow(step, p, limit)));
  const [only] = steps;
  const value =
    steps.length === 1 ? `p${p.slice(1)} of the overhead is ${formatSeconds(only!.summary.latency![p])}: ` : '';
  const text = `${value}${slow} of ${answered} answers took more than ${formatSeconds(limit)}`;
  return [shareClaim(p, { seen: slow, of: answered, clustering: estimateClustering(steps, p) }, SHARE_ABOVE[p], text)];
}

/** Answers above an objective. Records before 0.2 have only the percentiles: the count is what these allow at least. */
function countSlow({ summary }: StepRecord, p: Percentile, limit: number): number {
  const { slow, latency, answered } = summary;
  if (slow) return slow[p] ?? 0;
  const value = latency?.[p] ?? 0;
  if (value <= limit) return 0;
  return value >= CLEAR_LATENCY * limit ? answered : Math.floor(SHARE_ABOVE[p] * answered) + 1;
}
/** A percentile of at least this multiple of its objective is not explained by chance. */
export const CLEAR_LATENCY = 1.5;

/** How often something was seen, and how much more than independent requests its seconds vary. */
interface Seen {
  seen: number;
  of: number;
  clustering: number;
  /** How many more may have failed. */
  doubt?: number;
}

/** A share of a sample that must not be above an objective. One of 0 can be broken, and is held while nothing is seen. */
function shareClaim(objective: Claim['objective'], sample: Seen, allowed: number, text: string): Claim {
  const claim = judgeClaim(objective, sample, allowed, text);
  const { seen, doubt = 0 } = sample;
  if (claim.state !== 'held' || doubt === 0) return claim;
  const worst = judgeClaim(objective, { ...sample, seen: seen + doubt }, allowed, text);
  if (worst.state === 'held') return claim;
  const more = `${text}, and ${doubt} executions that failed may be of other requests`;
  return { ...claim, state: 'open', met: false, text: more, needs: Infinity };
}

function judgeClaim(
  objective: Claim['objective'],
  { seen, of, clustering }: Seen,
  allowed: number,
  text: string,
): Claim {
  const least = lowerBound95(seen / clustering, of / clustering);
  const most = upperBound95(seen / clustering, of / clustering);
  const broken = least > allowed || (allowed === 0 && seen > 0);
  const state = broken ? 'broken' : most <= allowed || allowed === 0 ? 'held' : 'open';
  const bound = state === 'broken' ? `at least ${formatPercent(least)}` : `at most ${formatPercent(most)}`;
  return {
    objective,
    state,
    met: seen <= allowed * of,
    text: `${text}: ${bound} at 95 % confidence, the SLO allows ${formatPercent(allowed)}`,
    needs: state === 'open' ? clustering * requestsFor(seen / Math.max(1, of), of / clustering, allowed) : of,
  };
}

/** Independent requests after which the same share would be above or below what is allowed by its bound. */
function requestsFor(share: number, from: number, allowed: number): number {
  for (let n = Math.max(MIN_SAMPLES, Math.ceil(from)); n < MOST_REQUESTS; n = Math.ceil(n * 1.1)) {
    const seen = Math.round(share * n);
    if (upperBound95(seen, n) <= allowed || lowerBound95(seen, n) > allowed) return n;
  }
  return Infinity;
}
const MOST_REQUESTS = 1_000_000;

/** A rate that is above the capacity by this factor must not be called sustained. */
const TOLERATED = 1.1;
/** What then piles up, as a share of the arrivals. */
const PILED = 1 - 1 / TOLERATED;

/**
 * Whether less piles up than at 1.1 times the capacity. At that rate something always waits. So the rate is lower if nothing
 * waited in enough of the samples, and no more waits at the end than was worked off before. At that rate, too, at most N ÷ 1.1 of
 * N accepted executions would end. The number that a busy server ends varies by its square root if service times vary as an
 * exponential (the renewal theorem: Cox, Renewal Theory, 1962, section 3.3).
 */
function backlogClaim(steps: StepRecord[]): Claim {
  const arrived = sum(steps.map(({ summary }) => summary.answered));
  const grown = Math.max(0, sum(steps.map(grownBy)));
  const looks = steps.flatMap((s) => s.backlog);
  const idle = lowerBound95(looks.filter(isIdle).length, looks.length) > PILED && steps.every(endsAsBefore);
  const decides = (n: number) => PILED * n - grown * (n / Math.max(1, arrived)) >= Z95 * Math.sqrt(n / TOLERATED);
  const share = grown / Math.max(1, arrived);
  const spare = PILED - share;
  return {
    objective: 'backlog',
    state: idle || decides(arrived) ? 'held' : 'open',
    met: idle || grown - Z95 * Math.sqrt(arrived) <= (PILED / 2) * arrived,
    text: `the backlog grew by ${Math.round(grown)} of ${arrived} executions during the step`,
    needs: spare <= 0 ? Infinity : Math.ceil((Z95 / spare) ** 2 / TOLERATED),
  };
}

type Backlog = Pick<StepRecord, 'backlog'>;
type Look = StepRecord['backlog'][number];
/** Executions that wait, or where only those under way are known, these. */
const heldUp = ({ waiting, executions }: Look): number => waiting ?? executions;
const isIdle = (look: Look): boolean => heldUp(look) <= 0;

/** A short step's last tenth is a single look, at which something may be under way by chance. */
const LEAST_LAST = 3;

/**
 * Whether the last tenth, or the last three looks, have one without a backlog, or the last tenth none above what was worked off before.
 * One execution is no backlog; half of what would pile up is one, whatever was worked off.
 */
function endsAsBefore(step: Backlog & Pick<StepRecord, 'summary'>): boolean {
  const lastIdle = step.backlog.findLastIndex(isIdle);
  if (step.backlog.length - lastIdle <= Math.max(tenthLength(step), LEAST_LAST)) return true;
  const workedOff = max([0, ...step.backlog.slice(0, lastIdle + 1).map(heldUp)]);
  const usual = Math.max(1, Math.min(workedOff, (PILED / 2) * step.summary.answered));
  return lastTenth(step).every((look) => heldUp(look) <= usual);
}
const tenthLength = ({ backlog }: Backlog): number => Math.max(1, Math.round(backlog.length / 10));
const lastTenth = (step: Backlog) => step.backlog.slice(-tenthLength(step));

/** By how many executions the backlog grew: the mean of its last tenth less that of its first. */
export function grownBy(step: Backlog): number {
  const mean = (part: StepRecord['backlog']) => sum(part.map((b) => b.executions)) / Math.max(1, part.length);
  return mean(lastTenth(step)) - mean(step.backlog.slice(0, tenthLength(step)));
}

/** The objectives that are broken, as reasons to fail. */
export const brokenClaims = (claims: Claim[]): Reason[] =>
  claims.filter((c) => c.state === 'broken').map(({ objective, text }) => ({ code: objective, text, clear: true }));

/** The objectives that a sample leaves open, as reasons why nothing is claimed; those that it does not meet first. */
export const openClaims = (claims: Claim[]): Reason[] =>
  [...claims.filter((c) => !c.met), ...claims.filter((c) => c.met)]
    .filter((c) => c.state === 'open')
    .map(({ met, text, needs }) => ({
      code: 'unproven',
      text: `${text}${Number.isFinite(needs) ? `; about ${Math.ceil(needs)} requests would tell` : ''}`,
      ...(!met && { unmet: true as const }),
    }));
