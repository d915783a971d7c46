import { jest } from '@jest/globals';
import { LatencyLimit } from './testing.js';
import { simulateWorkers } from './workers.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A limit, and what it hears: requests that leave, and looks at the line. */
function heard(full: number, unloaded = 0) {
  let now = 0;
  const limit = new LatencyLimit({ full, now: () => now });
  return {
    limit,
    later: (milliseconds: number) => (now += milliseconds),
    left: (milliseconds: number, count = 1) => {
      for (let i = 0; i < count; i++) limit.onLeft(now - milliseconds);
    },
    look: (line: Partial<Parameters<typeof limit.onLine>[0]> = {}) => {
      limit.onLine({
        ...{ underWay: limit.most, waiting: 100, isCrowd: true, ended: 0, served: 0, unloaded, age: 0, refusedAt: now },
        ...line,
      });
      return limit.most;
    },
  };
}

/** The limits of a minute in which requests take so long, with so many under way. */
function limits({ full, unloaded }: { full: number; unloaded?: number }, timeOf: (underWay: number) => number) {
  const { look, later, left } = heard(full, unloaded);
  const seen = [look()];
  for (let i = 0; i < 20; i++) {
    later(3000);
    left(timeOf(seen.at(-1)!), 50);
    seen.push(look());
  }
  return [...new Set(seen)];
}

describe("queue mode's adaptive limit", () => {
  it('as many as are answered in half a second', () => {
    expect(limits({ full: 40 }, (n) => 50 * n)).toEqual([40, 10]);
  });

  it('and in a quarter longer than each takes by itself', () => {
    expect(limits({ full: 40, unloaded: 2000 }, (n) => Math.max(2000, 80 * n))).toEqual([40, 38]);
  });

  it('a quarter at least; then it is tried whether half as many more take longer, and those that only wait get all', () => {
    expect(limits({ full: 40 }, () => 2900).slice(0, 5)).toEqual([40, 10, 15, 22, 32]);
    expect(limits({ full: 40 }, (n) => 2900 * (n / 40))).toEqual([40, 10, 15]);
  });

  it('more again when executions take less, twice as many at a time', () => {
    let each = 50;
    const times = (n: number) => {
      const time = each * n;
      if (n <= 10) each = 10;
      return time;
    };
    expect(limits({ full: 40 }, times)).toEqual([40, 10, 20]);
  });

  it('before anybody has left, for how long those are under way that are: at least as long again', () => {
    const { look } = heard(40, 100);
    expect(look({ age: 300 })).toBe(40);
    expect(look({ age: 625 })).toBe(20);
    expect(look({ age: 400 })).toBe(20);
    expect(look({ age: 1000 })).toBe(13);
  });

  it('all, where a line is of a few', () => {
    const { look, later, left } = heard(40);
    look();
    later(3000);
    left(3000, 10);
    expect(look({ isCrowd: false, age: 3000 })).toBe(40);
  });

  it('nothing that was admitted before the limit was changed counts for the next one', () => {
    const { look, later, left } = heard(40);
    left(1000, 10);
    look();
    later(1000);
    expect(look()).toBe(40);
    left(1000, 10);
    expect(look()).toBe(20);
    later(500);
    left(1000, 10);
    expect(look()).toBe(20);
  });

  it('all after ten seconds without a line, and where all that wait would fit and nobody was refused for five', () => {
    const { limit, look, later, left } = heard(40);
    const lower = () => {
      look();
      later(1000);
      left(1000, 10);
      expect(look()).toBe(20);
    };
    lower();
    later(10_001);
    expect(limit.most).toBe(40);
    lower();
    later(5001);
    expect(look({ waiting: 21, refusedAt: 0 })).toBe(20);
    expect(look({ waiting: 20, refusedAt: 0 })).toBe(40);
  });
});

/** Simulated, since the real thing takes minutes a case: docs/experiments/overload.md has it. */
describe('three times what workers take', () => {
  const overloaded = (given: Parameters<typeof simulateWorkers>[0], capacity = given.perSecond) => {
    const come = simulateWorkers(given);
    come(20, 0.9 * capacity);
    const first = come(14, 3 * capacity);
    const then = come(20, 3 * capacity);
    come(8, 0.8 * capacity);
    const goodput = Math.min(then.answered, then.executed) / capacity;
    return { first, then, goodput, after: come(10, 0.8 * capacity) };
  };
  const seeds = [1, 2, 3, 4, 5];
  const all = (given: Parameters<typeof simulateWorkers>[0], capacity?: number) =>
    seeds.map((seed) => overloaded({ ...given, seed }, capacity));
  const least = (runs: { goodput: number }[]) => Math.min(...runs.map(({ goodput }) => goodput));

  it.each([60, 25, 12, 5])(
    '%d/s: they keep nine tenths of it, nobody gives up, and it is normal again',
    (perSecond) => {
      const runs = all({ perSecond });
      expect(least(runs)).toBeGreaterThan(0.9);
      for (const { then, after } of runs) expect([then.failed, after.failed, after.refused]).toEqual([0, 0, 0]);
    },
  );

  // With 5/s, the thirty that are admitted before there is a line are more than a client's patience allows for.
  it.each([60, 25, 12])('%d/s: nobody gives up in the first seconds, either', (perSecond) => {
    for (const { first } of all({ perSecond })) expect(first.failed).toBe(0);
  });

  it('without the limit, those that are slow keep less: their clients give up', () => {
    expect(least(all({ perSecond: 5, adaptive: false }))).toBeLessThan(0.5);
  });

  it('five processes keep it as two do: none lowers its limit for the others', () => {
    const runs = all({ perSecond: 20, processes: 5, slots: 50 });
    expect(least(runs)).toBeGreaterThan(0.9);
    for (const { then } of runs) expect(Math.max(...then.limits)).toBeLessThanOrEqual(4 * Math.min(...then.limits));
  });

  it('of clients that each wait for their answer, as many as there are places, hardly one is refused, however they are spread', () => {
    const runs = seeds.map((seed) => simulateWorkers({ perSecond: 25, seed })(60, 0, 30));
    for (const { answered, failed } of runs) {
      expect(failed).toBe(0);
      expect(answered).toBeGreaterThan(24);
    }
    expect(mean(runs.map(({ refused }) => refused))).toBeLessThan(0.01 * 25);
  });

  it('executions that wait have their places', () => {
    expect(least(all({ perSecond: 60, wait: { milliseconds: 2000 } }, 10))).toBeGreaterThan(0.9);
  });

  it('so have those that wait beside others that do not', () => {
    const kept = (quiet: number) =>
      seeds.map((seed) => {
        const come = simulateWorkers({ perSecond: 60, wait: { milliseconds: 3000, share: 0.5 }, seed });
        come(quiet, 2);
        come(20, 40);
        const { answered, executed } = come(30, 40);
        // Twenty slots, and a mean of 1.5 s.
        return Math.min(answered, executed) / 13.3;
      });
    expect(mean(kept(60))).toBeGreaterThan(0.85);
    expect(mean(kept(0))).toBeGreaterThan(0.85);
  });

  it('and those that wait after others that were quick: that a lower limit does not make them quicker is found out', () => {
    const kept = seeds.map((seed) => {
      const come = simulateWorkers({ perSecond: 50, seed });
      come(20, 10);
      come.become({ perSecond: 60, wait: { milliseconds: 5000 } });
      come(20, 3.2);
      // Twenty slots take 4/s.
      come(60, 12);
      const { answered, executed } = come(60, 12);
      return Math.min(answered, executed) / 4;
    });
    expect(mean(kept)).toBeGreaterThan(0.9);
  });

  it('after a burst of them, what workers take is not refused', () => {
    const refused = seeds.map((seed) => {
      const come = simulateWorkers({ perSecond: 50, seed });
      come(20, 10);
      come.become({ perSecond: 60, wait: { milliseconds: 5000 } });
      come(20, 3.2);
      come(10, 12);
      come(30, 3.2);
      return come(60, 3.2).refused / 3.2;
    });
    expect(mean(refused)).toBeLessThan(0.1);
  });

  it('executions that compute are seldom taken for such that wait', () => {
    const kept = seeds.map((seed) => {
      const come = simulateWorkers({ perSecond: 5, seed });
      come(20, 3);
      return come(300, 15).answered / 5;
    });
    expect(mean(kept)).toBeGreaterThan(0.9);
    expect(Math.min(...kept)).toBeGreaterThan(0.85);
  });
});

const mean = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
