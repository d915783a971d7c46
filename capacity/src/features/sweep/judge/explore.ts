/** A configuration that a sweep may measure. */
export interface Candidate {
  id: string;
  /** Cost per hour, in any currency. */
  cost: number;
  /** Amounts of the dimensions of which more never lowers the capacity (MONOTONE in plan/dimensions.ts). */
  amounts: Record<string, number>;
  /** All its other dimensions: amounts are only compared between candidates of one kind. */
  kind: string;
  /** Arithmetic upper bound in executions per second; undefined if unbounded. */
  bound?: number;
}

/** The measurement of a candidate. */
export interface MeasuredCandidate {
  id: string;
  /** Highest sustained rate in executions per second; 0 if none held. */
  capacity: number;
  /** It sustains no more than that, in executions per second; undefined if that is not known. */
  most?: number;
  /** Whether it meets the target; undefined without a target, if inconclusive, or if it did not start. */
  meets?: boolean;
}

/** A candidate that need not be measured, the reason, and the measured candidate that rules it out. */
interface RuledOut {
  id: string;
  by: string;
  reason: string;
}

/** The next measurement of a sweep; undefined when it has ended. */
export type Next =
  /** With `challenge`: worth its cost only if it sustains that rate, in executions per second. */
  { id: string; challenge?: number } | undefined;

/**
 * With a target: the candidates that need not be measured to find the cheapest that meets it. A candidate that meets the
 * target rules out all that cost as much or more; one that misses it, all of its kind that are no larger in any dimension.
 */
export function ruledOutByTarget(candidates: Candidate[], measured: MeasuredCandidate[]): RuledOut[] {
  const by = new Map(candidates.map((c) => [c.id, c]));
  const known = new Set(measured.map((m) => m.id));
  const open = candidates.filter((c) => !known.has(c.id));
  const met = measured.filter((m) => m.meets).map((m) => by.get(m.id)!);
  const missed = measured.filter((m) => m.meets === false).map((m) => by.get(m.id)!);
  return open.flatMap((candidate): RuledOut[] => {
    const cheaper = met.find((m) => m.cost <= candidate.cost);
    if (cheaper)
      return [{ id: candidate.id, by: cheaper.id, reason: `costs no less than ${cheaper.id}, which meets the target` }];
    const larger = missed.find((m) => hasNoMore(candidate, m));
    if (larger)
      return [{ id: candidate.id, by: larger.id, reason: `is no larger than ${larger.id}, which misses the target` }];
    return [];
  });
}

/**
 * With a target: the candidate whose measurement leaves the fewest open, in the worse of its two outcomes, then over both;
 * the cheaper of equals. Undefined when none is open.
 */
export function nextForTarget(candidates: Candidate[], measured: MeasuredCandidate[]): Next {
  const done = new Set([...measured, ...ruledOutByTarget(candidates, measured)].map((m) => m.id));
  const open = candidates.filter((c) => !done.has(c.id)).sort((a, b) => a.cost - b.cost);
  const left = (c: Candidate) => {
    const whenMet = open.filter((o) => o.cost < c.cost).length;
    const whenMissed = open.filter((o) => !hasNoMore(o, c)).length;
    return [Math.max(whenMet, whenMissed), whenMet + whenMissed] as const;
  };
  const [best] = open
    .map((c) => ({ id: c.id, left: left(c) }))
    .sort((a, b) => a.left[0] - b.left[0] || a.left[1] - b.left[1]);
  return best && { id: best.id };
}

/**
 * Without a target: the cheapest candidate that is not measured yet. If a cheaper one sustains `r`, it must sustain more
 * than r × (1 + noise) to be worth its cost. Once one of a kind did not, the largest of that kind comes first: what it cannot
 * sustain, none of them can.
 * @param noise the band within which two rates are the same, as a fraction
 */
export function nextForFront(candidates: Candidate[], measured: MeasuredCandidate[], noise: number): Next {
  const done = new Set([...measured, ...ruledOutByFront(candidates, measured, noise)].map((m) => m.id));
  const [cheapest] = candidates.filter((c) => !done.has(c.id)).sort((a, b) => a.cost - b.cost);
  if (!cheapest) return undefined;
  const kind = candidates.filter((c) => c.kind === cheapest.kind);
  const largest = kind.find((c) => !done.has(c.id) && kind.every((other) => hasNoMore(other, c)));
  const isStopped = measured.some((m) => m.capacity < (m.most ?? 0) && kind.some((c) => c.id === m.id));
  const next = (isStopped && largest) || cheapest;
  const best = bestNotAbove(next.cost, candidates, measured);
  return {
    id: next.id,
    ...(best && best.capacity > 0 && { challenge: moreThan(best, noise) }),
  };
}

/**
 * Without a target: candidates that are not worth their cost, as one that costs no more sustains as much, noise aside. Their
 * arithmetic bound shows it, or a measured candidate that is no smaller.
 */
export function ruledOutByFront(candidates: Candidate[], measured: MeasuredCandidate[], noise: number): RuledOut[] {
  const known = new Set(measured.map((m) => m.id));
  const by = new Map(candidates.map((c) => [c.id, c]));
  return candidates.flatMap((candidate): RuledOut[] => {
    const best = bestNotAbove(candidate.cost, candidates, measured);
    if (known.has(candidate.id) || !best || best.capacity === 0) return [];
    const { id, bound = Infinity } = candidate;
    const enough = moreThan(best, noise);
    const but = `no more, noise aside, than ${best.id}, which costs no more`;
    if (bound <= enough)
      return [{ id, by: best.id, reason: `is bounded at ${Number(bound.toPrecision(3))}/s: ${but}` }];
    const larger = measured.find(({ id, most = Infinity }) => most <= enough && hasNoMore(candidate, by.get(id)!));
    return larger ? [{ id, by: larger.id, reason: `is no larger than ${larger.id}, which sustains ${but}` }] : [];
  });
}

/**
 * The Pareto front of cost and rate: configurations that sustain more than any other of the same or a lower cost, cheapest
 * first.
 * @param noise the band within which two rates are the same, as a fraction: ties go to the cheaper
 */
export function front(candidates: Candidate[], measured: MeasuredCandidate[], noise: number): MeasuredCandidate[] {
  const cost = new Map(candidates.map((c) => [c.id, c.cost]));
  const sorted = measured
    .filter((m) => m.capacity > 0)
    .sort((a, b) => cost.get(a.id)! - cost.get(b.id)! || b.capacity - a.capacity);
  let highest = 0;
  return sorted.filter(({ capacity }) => {
    if (capacity <= highest * (1 + noise)) return false;
    highest = capacity;
    return true;
  });
}

/** The rate that is more than a candidate's capacity, noise aside, as it is tried, in executions per second. */
const moreThan = ({ capacity }: MeasuredCandidate, noise: number) => Number((capacity * (1 + noise)).toPrecision(3));

/** The measured candidate with the highest capacity among those that cost at most `cost`; undefined without any. */
function bestNotAbove(
  cost: number,
  candidates: Candidate[],
  measured: MeasuredCandidate[],
): MeasuredCandidate | undefined {
  const affordable = new Set(candidates.filter((c) => c.cost <= cost).map((c) => c.id));
  return measured
    .filter((m) => affordable.has(m.id))
    .reduce<MeasuredCandidate | undefined>(
      (best, m) => (best === undefined || m.capacity > best.capacity ? m : best),
      undefined,
    );
}

const hasNoMore = (a: Candidate, b: Candidate) =>
  a.kind === b.kind && Object.entries(a.amounts).every(([name, amount]) => amount <= (b.amounts[name] ?? Infinity));
