import fc from 'fast-check';
import {
  front,
  nextForFront,
  nextForTarget,
  ruledOutByFront,
  ruledOutByTarget,
  type Candidate,
  type MeasuredCandidate,
} from '../../../../../capacity/src/features/sweep/judge/explore.js';

/** A grid of workers × cores, a core taking 10/s and each pod costing its cores and a bit; `slots` bound a worker. */
function grid(workers: number[], cores: number[], slotsEach = Infinity) {
  const candidates: Candidate[] = workers.flatMap((w) =>
    cores.map((c) => ({
      id: `${w}x${c}`,
      cost: w * (c + 0.1),
      amounts: { workers: w, cpu: c },
      kind: 'queue',
      ...(slotsEach < Infinity && { bound: w * slotsEach }),
    })),
  );
  const truth = (id: string) => {
    const { workers, cpu } = candidates.find((c) => c.id === id)!.amounts as { workers: number; cpu: number };
    return workers * Math.min(10 * cpu, slotsEach);
  };
  return { candidates, truth };
}

function exploreTarget({ candidates, truth }: ReturnType<typeof grid>, target: number) {
  const measured: MeasuredCandidate[] = [];
  for (let next = nextForTarget(candidates, measured); next; next = nextForTarget(candidates, measured)) {
    const meets = truth(next.id) >= target;
    measured.push({ id: next.id, capacity: meets ? target : 0, meets });
  }
  return measured;
}

const cheapestThatMeets = ({ candidates, truth }: ReturnType<typeof grid>, target: number) =>
  Math.min(...candidates.filter((c) => truth(c.id) >= target).map((c) => c.cost));

const sizes = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 });

describe('with a target', () => {
  it('finds the cheapest configuration that meets it, as the full grid would, without measuring all', () => {
    fc.assert(
      fc.property(sizes, sizes, fc.integer({ min: 1, max: 1500 }), (workers, cores, target) => {
        const space = grid(workers, cores);
        const measured = exploreTarget(space, target);
        const cost = new Map(space.candidates.map((c) => [c.id, c.cost]));
        const found = Math.min(...measured.filter((m) => m.meets).map((m) => cost.get(m.id)!));
        expect(found).toBe(cheapestThatMeets(space, target));
        expect(new Set(measured.map((m) => m.id)).size).toBe(measured.length);
      }),
    );
  });

  it('halves a row of sizes', () => {
    const measured = exploreTarget(grid([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [1]), 70);
    expect(measured.length).toBeLessThanOrEqual(4);
  });

  it('says why the others need not run', () => {
    const { candidates } = grid([1, 2, 3], [1]);
    const met = ruledOutByTarget(candidates, [{ id: '2x1', capacity: 20, meets: true }]);
    expect(met).toMatchObject([{ id: '3x1', by: '2x1' }]);
    const missed = ruledOutByTarget(candidates, [{ id: '2x1', capacity: 0, meets: false }]);
    expect(missed).toMatchObject([{ id: '1x1', by: '2x1' }]);
  });

  it('compares only what is of one kind, and learns nothing from what could not be judged', () => {
    const [a, b] = grid([1, 2], [1]).candidates as [Candidate, Candidate];
    const other = { ...a, kind: 'regular' };
    expect(ruledOutByTarget([other, b], [{ id: b.id, capacity: 0, meets: false }])).toEqual([]);
    expect(ruledOutByTarget([a, b], [{ id: b.id, capacity: 0 }])).toEqual([]);
  });
});

describe('without a target', () => {
  const explore = ({ candidates, truth }: ReturnType<typeof grid>, noise = 0) => {
    const measured: MeasuredCandidate[] = [];
    let stopped = 0;
    for (let next = nextForFront(candidates, measured, noise); next; next = nextForFront(candidates, measured, noise)) {
      const capacity = truth(next.id);
      const dominated = next.challenge !== undefined && capacity < next.challenge;
      if (dominated) stopped++;
      measured.push({ id: next.id, capacity: dominated ? 0 : capacity, most: dominated ? next.challenge! : capacity });
    }
    return { measured, stopped };
  };

  it('finds the front that the full grid has', () => {
    fc.assert(
      fc.property(sizes, sizes, fc.integer({ min: 5, max: 60 }), (workers, cores, slots) => {
        const space = grid(workers, cores, slots);
        const all = space.candidates.map((c) => ({ id: c.id, capacity: space.truth(c.id) }));
        const points = (found: MeasuredCandidate[]) =>
          found.map(({ id, capacity }) => [space.candidates.find((c) => c.id === id)!.cost, capacity]);
        const { measured } = explore(space);
        expect(points(front(space.candidates, measured, 0))).toEqual(points(front(space.candidates, all, 0)));
      }),
    );
  });

  it('measures the largest of a kind once one was stopped, and with it rules out all that cannot be worth their cost', () => {
    const space = grid([1, 2, 3, 4, 6, 8], [1, 2, 3]);
    const { truth } = space;
    const { measured } = explore({ ...space, truth: (id) => Math.min(60, truth(id)) }, 0.05);
    // 2x3 sustains what 8x3 does: none between them sustains more.
    expect(measured.map((m) => m.id)).toEqual(['1x1', '1x2', '2x1', '8x3', '1x3', '3x1', '2x2', '4x1', '2x3']);
  });

  it('rules out nothing by what did not start, or was not judged to its end', () => {
    const { candidates } = grid([1, 2, 3], [1]);
    const [small, large] = [
      { id: '1x1', capacity: 10, most: 10 },
      { id: '3x1', capacity: 0 },
    ];
    expect(ruledOutByFront(candidates, [small, large], 0.05)).toEqual([]);
    expect(ruledOutByFront(candidates, [small, { ...large, most: 10.5 }], 0.05)).toMatchObject([
      { id: '2x1', by: '3x1', reason: expect.stringContaining('1x1') },
    ]);
  });

  it('rules out the rest of a kind by the rate that its largest did not sustain, as that is tried', () => {
    const { candidates } = grid([1, 2, 3], [1]);
    const first = { id: '1x1', capacity: 29, most: 29 };
    const noise = 0.919;
    const { challenge } = nextForFront(candidates, [first], noise)!;
    expect(challenge).toBeGreaterThan(29 * (1 + noise));
    const largest = { id: '3x1', capacity: 0, most: challenge! };
    expect(ruledOutByFront(candidates, [first, largest], noise)).toMatchObject([{ id: '2x1', by: '3x1' }]);
  });

  it('asks more of what costs more, and rules out what arithmetic holds down', () => {
    const { candidates } = grid([1, 2], [1, 4], 15);
    const measured = [{ id: '2x1', capacity: 20 }];
    expect(
      nextForFront(
        candidates.filter((c) => c.id !== '1x1'),
        measured,
        0.05,
      ),
    ).toEqual({ id: '2x4', challenge: 21 });
    expect(ruledOutByFront(candidates, measured, 0.05)).toMatchObject([
      { id: '1x4', by: '2x1', reason: expect.stringContaining('15/s') },
    ]);
  });
});
