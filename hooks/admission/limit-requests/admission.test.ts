import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Admission, type Limits } from './testing.js';

test('Retry-After has random jitter, so that clients refused together do not return together', () => {
  const seconds: number[] = [];
  const admission = new Admission({ most: 0, line: 0, longest: 1000 });
  for (let i = 0; i < 100; i++)
    admission.arrive(
      () => {},
      (after) => seconds.push(after),
    );
  expect([...new Set(seconds)].sort()).toEqual([1, 2]);
});

test('who enters from the line does so in its own context, and not in that of the one who left', () => {
  const context = new AsyncLocalStorage<string>();
  const admission = new Admission({ most: 1, line: 1, longest: 1000 });
  const seen: unknown[] = [];
  let leave = () => {};
  const enter = (done: () => void) => {
    seen.push(context.getStore());
    leave = done;
  };
  for (const name of ['first', 'second']) context.run(name, () => admission.arrive(enter, () => {}));
  context.run('first', leave);
  expect(seen).toEqual(['first', 'second']);
  leave();
});

describe('Admission', () => {
  /** Visitors by their numbers, in the order in which they entered or were refused. */
  function visitors(limits: Partial<Limits>) {
    const { executions = () => ({ all: 0, answered: 0, held: 0 }) } = limits;
    // All are of one path.
    const counted = (since: number) => ({ ...executions(since), of: new Map([['', executions(since)]]) });
    const admission = new Admission({ most: 2, line: 2, longest: 1000, ...limits, executions: counted });
    const entered: number[] = [];
    const refused: number[] = [];
    const seconds: number[] = [];
    const leaves = new Map<number, (isServed?: boolean, isExecution?: boolean) => void>();
    const arrive = (visitor: number, resumes = false) =>
      admission.arrive(
        (leave) => {
          entered.push(visitor);
          leaves.set(visitor, leave);
        },
        (after) => {
          refused.push(visitor);
          seconds.push(after);
        },
        { resumes, path: resumes ? 'resumes' : '' },
      );
    const leave = (visitor: number, ...how: boolean[]) => leaves.get(visitor)!(...how);
    return { admission, arrive, entered, refused, seconds, leave };
  }

  /** Executions that n8n tells of, by when they began. */
  const executionsOf =
    (began: number[]) =>
    (since: number): ReturnType<NonNullable<Limits['executions']>> => {
      const all = began.filter((at) => at >= since).length;
      return { all, answered: all, held: began.length };
    };

  it('admits requests up to the limit, queues the next ones and refuses the rest', () => {
    const { admission, arrive, entered, refused } = visitors({});
    [1, 2, 3, 4, 5].forEach((visitor) => arrive(visitor));
    expect({ entered, refused }).toEqual({ entered: [1, 2], refused: [5] });
    expect(admission).toMatchObject({ underWay: 2, waiting: 2, admitted: 2, refused: { line: 1 } });
  });

  it('admits the first waiting request when one leaves; leaving twice frees one place', () => {
    const { admission, arrive, entered, leave } = visitors({});
    [1, 2, 3, 4].forEach((visitor) => arrive(visitor));
    leave(2);
    leave(2);
    expect(entered).toEqual([1, 2, 3]);
    leave(1);
    expect(entered).toEqual([1, 2, 3, 4]);
    expect(admission.underWay).toBe(2);
  });

  it('removes a request from the line when its client disconnects', () => {
    const { admission, arrive, entered, leave } = visitors({});
    const [, , goAway] = [1, 2, 3, 4].map((visitor) => arrive(visitor));
    goAway!();
    expect(admission.waiting).toBe(1);
    leave(1);
    expect(entered).toEqual([1, 2, 4]);
  });

  it('admits others after executions that never end have held all places for ten minutes', () => {
    let now = 0;
    const began = [10, 10];
    const executions = executionsOf(began);
    const { admission, arrive, entered } = visitors({ line: 0, executions, now: () => now });
    let stuck = 0;
    admission.onStuck = (count) => (stuck = count);
    arrive(1);
    now = 599_000;
    arrive(2);
    expect({ entered, stuck }).toEqual({ entered: [], stuck: 0 });
    now = 600_000;
    arrive(3);
    expect({ entered, stuck }).toEqual({ entered: [3], stuck: 2 });
    // Those that go on since do count, and no more than the limit.
    began.push(now, now);
    arrive(4);
    expect(entered).toEqual([3]);
  });

  it('no more than twice as many in the end, if executions take longer than that and end after all', () => {
    let now = 0;
    const began: number[] = [];
    const { arrive, entered, leave } = visitors({ line: 0, executions: executionsOf(began), now: () => now });
    let most = 0;
    for (let visitor = 1; now < 6 * 3_600_000; visitor++, now += 1000) {
      while (began.length > 0 && now - began[0]! >= 720_000) began.shift();
      arrive(visitor);
      // It is answered at once, and goes on.
      if (entered.at(-1) !== visitor) continue;
      began.push(now);
      leave(visitor);
      most = Math.max(most, began.length);
    }
    expect(most).toBe(4);
  });

  it('admits others after requests that n8n never answers have held all places for ten minutes', () => {
    let now = 0;
    const { admission, arrive, entered, leave } = visitors({ line: 0, now: () => now });
    let stuck = 0;
    admission.onStuck = (count) => (stuck = count);
    [1, 2, 3].forEach((visitor) => arrive(visitor));
    now = 599_000;
    arrive(4);
    expect({ entered, stuck }).toEqual({ entered: [1, 2], stuck: 0 });
    now = 600_000;
    arrive(5);
    expect({ entered, stuck }).toEqual({ entered: [1, 2, 5], stuck: 2 });
    // They free no second place when they are answered after all.
    leave(1);
    expect(admission).toMatchObject({ underWay: 1, served: 0 });
  });

  it('nobody, however long ago the last one was admitted, when nobody was refused since', () => {
    let now = 0;
    const { arrive, entered } = visitors({ line: 0, executions: () => ({ all: 2, answered: 2 }), now: () => now });
    now = 3_600_000;
    arrive(1);
    expect(entered).toEqual([]);
  });

  it('the demand is what comes; where an overload leaves places empty, they count', () => {
    const { admission, arrive } = visitors({ most: 6, line: 9 });
    [1, 2, 3].forEach((visitor) => arrive(visitor));
    expect(admission.demand).toBe(3);
    admission.concurrency = { most: 3, onLine: () => {} };
    [4, 5].forEach((visitor) => arrive(visitor));
    expect(admission).toMatchObject({ underWay: 3, waiting: 2, demand: 8 });
  });

  describe('the adaptive limit hears for how long one is under way by itself', () => {
    const hear = async (most: number, act: (of: ReturnType<typeof visitors>, at: (time: number) => void) => void) => {
      let now = 0;
      const of = visitors({ most, line: 9, now: () => now });
      const heard: number[] = [];
      of.admission.concurrency = { most: Infinity, onLine: ({ unloaded }) => heard.push(unloaded) };
      act(of, (time) => (now = time));
      await sleep(100);
      return heard.at(-1);
    };

    it('at least, where many are under way', async () => {
      const heard = await hear(2, ({ arrive, leave }, at) => {
        [1, 2, 3, 4, 5, 6].forEach((visitor) => arrive(visitor));
        at(400);
        leave(1);
        at(410);
        // A wrong path: no execution.
        leave(3, true, false);
        at(500);
        leave(4);
      });
      expect(heard).toBe(90);
    });

    it('nothing, before one has left', async () => {
      expect(await hear(2, ({ arrive }) => [1, 2, 3].forEach((visitor) => arrive(visitor)))).toBe(0);
    });

    it('in the mean, of those beside which there was little', async () => {
      const heard = await hear(4, ({ arrive, leave }, at) => {
        arrive(1);
        at(10);
        leave(1);
        arrive(2);
        at(1000);
        leave(2);
        // Those are many.
        [3, 4].forEach((visitor) => arrive(visitor));
        at(9000);
        [3, 4].forEach((visitor) => leave(visitor));
        [5, 6, 7, 8, 9].forEach((visitor) => arrive(visitor));
      });
      expect(heard).toBe(500);
    });
  });

  it('refuses a request that waited for the longest wait', async () => {
    const { admission, arrive, refused } = visitors({ longest: 60 });
    [1, 2, 3].forEach((visitor) => arrive(visitor));
    await sleep(200);
    expect(refused).toEqual([3]);
    expect(admission.refused).toEqual({ line: 0, wait: 1, heap: 0, ending: 0 });
  });

  it('nobody who would wait longer than is useful, as others leave', () => {
    let now = 0;
    const { arrive, leave, refused, seconds } = visitors({ line: 100, longest: 3000, now: () => now });
    [1, 2, 3, 4, 5].forEach((visitor) => arrive(visitor));
    now = 2000;
    // One in two seconds: whoever comes now would be the third in the line.
    leave(1);
    arrive(6);
    expect(refused).toEqual([6]);
    expect(seconds[0]).toBeGreaterThanOrEqual(6);
  });

  it('only for a moment where the line has lasted: it is no burst', async () => {
    let now = 0;
    const { arrive, refused } = visitors({ line: 100, longest: 4000, now: () => now });
    const crowd = Array.from({ length: 13 }, (_, i) => i + 1);
    crowd.forEach((visitor) => arrive(visitor));
    now = 3900;
    arrive(14);
    await sleep(150);
    expect(refused).toEqual([]);
    now = 5001;
    await sleep(150);
    expect(refused).toEqual([...crowd.slice(2), 14]);
  });

  it('a line of a few may last, until it refuses somebody', async () => {
    let now = 0;
    const { admission, arrive, refused } = visitors({ line: 100, longest: 4000, now: () => now });
    const heard: boolean[] = [];
    admission.concurrency = { most: 9, onLine: ({ isCrowd }) => heard.push(isCrowd) };
    [1, 2, 3].forEach((visitor) => arrive(visitor));
    now = 3900;
    arrive(4);
    await sleep(150);
    expect(heard.at(-1)).toBe(false);
    now = 4001;
    await sleep(150);
    expect({ refused, isCrowd: heard.at(-1) }).toEqual({ refused: [3], isCrowd: true });
  });

  it('as many fewer as executions go on after their answer', async () => {
    let executions = 2;
    const { arrive, entered, refused } = visitors({ executions: () => ({ all: executions, answered: 0 }) });
    arrive(1);
    expect({ entered, refused }).toEqual({ entered: [], refused: [] });
    executions = 1;
    await sleep(150);
    expect(entered).toEqual([1]);
  });

  it('as many fewer beside open requests that are no executions yet', () => {
    const { admission, arrive, entered } = visitors({ most: 3, executions: () => ({ all: 1, answered: 1 }) });
    [1, 2, 3].forEach((visitor) => arrive(visitor));
    expect(entered).toEqual([1, 2]);
    expect(admission.underWay).toBe(3);
  });

  it('a few more that resume an execution: those under way may wait for it', () => {
    const { arrive, entered, refused } = visitors({ most: 2, line: 1 });
    [1, 2, 3].forEach((visitor) => arrive(visitor));
    [4, 5, 6].forEach((visitor) => arrive(visitor, true));
    expect({ entered, refused }).toEqual({ entered: [1, 2, 4, 5], refused: [6] });
  });

  it('a full heap: only those that resume an execution enter', () => {
    let held = 3;
    const { admission, arrive, entered, refused } = visitors({
      most: 9,
      executions: () => ({ all: 0, answered: 0, held }),
    });
    admission.heap = { most: 3 };
    arrive(1);
    arrive(2, true);
    expect({ entered, refused }).toEqual({ entered: [2], refused: [1] });
    held = 2;
    arrive(3);
    expect({ entered, refused, count: admission.refused.heap }).toEqual({ entered: [2, 3], refused: [1], count: 1 });
  });

  it('a full heap: those that resume an execution pass the others in the line', async () => {
    const { admission, arrive, entered, leave } = visitors({ most: 1, line: 3 });
    arrive(1);
    arrive(2);
    ['a', 'b', 'c'].forEach((_, i) => arrive(3 + i, true));
    expect(entered).toEqual([1, 3, 4]);
    admission.heap = { most: 0 };
    [1, 3, 4].forEach((visitor) => leave(visitor));
    expect(entered).toEqual([1, 3, 4, 5]);
  });

  it('refuses every request once the process stops', () => {
    const { admission, arrive, entered, refused } = visitors({});
    [1, 2, 3].forEach((visitor) => arrive(visitor));
    admission.end();
    arrive(4);
    expect({ entered, refused }).toEqual({ entered: [1, 2], refused: [3, 4] });
  });

  it('without a line, all others are refused at once', () => {
    const { arrive, refused } = visitors({ line: 0 });
    [1, 2, 3].forEach((visitor) => arrive(visitor));
    expect(refused).toEqual([3]);
  });
});
