/** A configuration that a sweep may measure. */
export interface Candidate {
  id: string;
  /** Per hour, in any currency. */
  cost: number;
  /** Amounts of what never makes it take less (see MONOTONE in plan/dimensions.ts), as numbers. */
  amounts: Record<string, number>;
  /** Everything else about it: only candidates of one kind are compared by their amounts. */
  kind: string;
  /** Executions per second that arithmetic allows at most; absent where nothing bounds it. */
  bound?: number;
}

/** What measuring a candidate has shown. */
export interface Measured {
  id: string;
  /** Highest rate that it sustained in executions per second; 0 when none held. */
  capacity: number;
  /** Whether it meets the target; absent where there is none, or it could not be judged. */
  meets?: boolean;
}

/** A candidate that need not be measured, and why. */
export interface RuledOut {
  id: string;
  reason: string;
}

/** What a sweep does next. */
export type Next =
  /** Measure this one; where `challenge` is given it is worth its cost only when it sustains that rate. */
  { id: string; challenge?: number } | undefined;

/**
 * With a target: which candidates need not be measured for the cheapest one that meets it. One that meets it rules out
 * all that cost as much or more; one that does not, all of its kind with no more of anything.
 */
export function ruledOutByTarget(candidates: Candidate[], measured: Measured[]): RuledOut[] {
  const by = new Map(candidates.map((c) => [c.id, c]));
  const known = new Set(measured.map((m) => m.id));
  const open = candidates.filter((c) => !known.has(c.id));
  const met = measured.filter((m) => m.meets).map((m) => by.get(m.id)!);
  const missed = measured.filter((m) => m.meets === false).map((m) => by.get(m.id)!);
  return open.flatMap((candidate): RuledOut[] => {
    const cheaper = met.find((m) => m.cost <= candidate.cost);
    if (cheaper) return [{ id: candidate.id, reason: `costs no less than ${cheaper.id}, which meets the target` }];
    const larger = missed.find((m) => hasNoMore(candidate, m));
    if (larger)
      return [{ id: candidate.id, reason: `has no more of anything than ${larger.id}, which misses the target` }];
    return [];
  });
}

/**
 * With a target: the candidate of which neither outcome leaves many open (the fewest in the worse of the two; then over
 * both), the cheaper of equals; undefined when none is open.
 */
export function nextForTarget(candidates: Candidate[], measured: Measured[]): Next {
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
 * Without a target: the cheapest candidate that is not measured yet. Where something cheaper is known to take `r`, it must
 * take more than r × (1 + noise) to be worth its cost.
 * @param noise the band within which two rates are the same, as a fraction
 */
export function nextForFront(candidates: Candidate[], measured: Measured[], noise: number): Next {
  const done = new Set([...measured, ...ruledOutByFront(candidates, measured, noise)].map((m) => m.id));
  const [next] = candidates.filter((c) => !done.has(c.id)).sort((a, b) => a.cost - b.cost);
  if (!next) return undefined;
  const best = bestNotAbove(next.cost, candidates, measured);
  return {
    id: next.id,
    ...(best && best.capacity > 0 && { challenge: best.capacity * (1 + noise) }),
  };
}

/** Without a target: candidates whose arithmetic bound is no more than what something cheaper took, noise apart. */
export function ruledOutByFront(candidates: Candidate[], measured: Measured[], noise: number): RuledOut[] {
  const known = new Set(measured.map((m) => m.id));
  return candidates.flatMap((candidate): RuledOut[] => {
    if (known.has(candidate.id) || candidate.bound === undefined) return [];
    const best = bestNotAbove(candidate.cost, candidates, measured);
    if (!best || candidate.bound > best.capacity * (1 + noise)) return [];
    const bound = Number(candidate.bound.toPrecision(3));
    return [{ id: candidate.id, reason: `can take ${bound}/s at most, and ${best.id} takes that for no more` }];
  });
}

/**
 * The configurations that take more than anything as cheap or cheaper, cheapest first: the Pareto front of cost and rate.
 * @param noise the band within which two rates are the same, as a fraction: ties go to the cheaper
 */
export function front(candidates: Candidate[], measured: Measured[], noise: number): Measured[] {
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

/** The measured candidate that takes most among those that cost no more than `cost`. */
function bestNotAbove(cost: number, candidates: Candidate[], measured: Measured[]): Measured | undefined {
  const affordable = new Set(candidates.filter((c) => c.cost <= cost).map((c) => c.id));
  return measured
    .filter((m) => affordable.has(m.id))
    .reduce<Measured | undefined>(
      (best, m) => (best === undefined || m.capacity > best.capacity ? m : best),
      undefined,
    );
}

const hasNoMore = (a: Candidate, b: Candidate) =>
  a.kind === b.kind && Object.entries(a.amounts).every(([name, amount]) => amount <= (b.amounts[name] ?? Infinity));
