import { judgeOverload, overloadClause } from '../../../capacity/src/judge/overload.js';
import { REFUSED } from '../../../capacity/src/load/samples.js';
import { failing, overloaded, SLO } from './overloaded.js';

describe('what a deployment does after it has come back', () => {
  /** Idle again after 8 s of the return, but for these seconds, in which more arrive than it takes. */
  const again = (from: number, to: number) => {
    const step = overloaded((at) => (at <= 30 ? 20 : 100));
    const seconds = step.summary.seconds.map((second) =>
      second.at >= from && second.at < to ? { ...second, p50: 2 } : second,
    );
    return judgeOverload({ ...step, summary: { ...step.summary, seconds } }, SLO).backSeconds;
  };

  test('a crowd of a moment is no relapse: arrivals are random', () => {
    const back = again(60, 60);
    expect(back).toBeLessThan(10);
    expect(again(47, 50)).toBe(back);
    expect(again(57, 60)).toBe(back);
  });

  test('what lasts for more than a quarter of the rest is one', () => {
    expect(again(45, 60)).toBeUndefined();
    expect(again(45, 55)).toBe(25);
  });
});

test('one that works off its backlog slowly is not back, but has not collapsed', () => {
  const seen = judgeOverload(
    overloaded(() => 18),
    SLO,
  );
  expect(seen).not.toHaveProperty('backSeconds');
  expect(seen).not.toHaveProperty('collapsedTo');
});

test('one that ends less than arrives, though it takes more, has collapsed', () => {
  expect(
    judgeOverload(
      overloaded(() => 10),
      SLO,
    ),
  ).toMatchObject({ collapsedTo: 10, completedAfter: 10 });
});

test.each([12, 14])('what it did in the overload does not hide that it then ends only %d of 16/s', (perSecond) => {
  expect(
    judgeOverload(
      overloaded((at) => (at < 30 ? 40 : perSecond)),
      SLO,
    ),
  ).toMatchObject({ collapsedTo: expect.closeTo(perSecond, 0) });
});

test('one that was slower in the overload, and now works off more than arrives, has not collapsed', () => {
  const seen = judgeOverload(
    overloaded((at) => (at < 30 ? 8 : 19)),
    SLO,
  );
  expect(seen).not.toHaveProperty('collapsedTo');
  expect(seen).not.toHaveProperty('unsettled');
});

test('a backlog that still grows, by no more than chance may explain, is unknown', () => {
  const seen = judgeOverload(
    overloaded((at) => (at < 30 ? 38 : 15.7)),
    SLO,
  );
  expect(seen).not.toHaveProperty('collapsedTo');
  expect(seen).toMatchObject({ unsettled: true });
  // What it did in the overload is known all the same.
  expect(overloadClause(seen, 20)).toContain('nothing dies');
});

describe('a deployment that keeps answering wrongly after an overload, with nothing waiting', () => {
  test('keeps failing, although it completes all that arrives', () => {
    const seen = judgeOverload(
      failing(() => 1),
      SLO,
    );
    expect(seen.failsOn).toBeGreaterThan(0.03);
    expect(overloadClause(seen, 20)).toMatch(/, and at least [\d.]+ % of the requests still fail 30 s later/);
    expect(seen).not.toHaveProperty('collapsedTo');
    expect(seen).not.toHaveProperty('unsettled');
  });

  test.each([
    ['fails less and less', failing((at) => (at < 40 ? 8 : 1))],
    ['fails no more often than it may', failing((at) => (at % 8 === 0 ? 1 : 0))],
    ['fails in one second, with all requests of it', failing((at) => (at === 55 ? 16 : 0))],
  ])('is not judged to where it %s', (_, step) => expect(judgeOverload(step, SLO)).not.toHaveProperty('failsOn'));

  test('fails while it works off what waits: it recovers', () => {
    const seen = judgeOverload(
      failing(() => 4, 20),
      SLO,
    );
    expect(seen).not.toHaveProperty('failsOn');
    expect(seen).not.toHaveProperty('unsettled');
  });

  test('is back where no more fail than the objective allows, though hardly a second is without a failure', () => {
    const step = failing(() => 1);
    expect(judgeOverload(step, { ...SLO, errors: 0.1 })).toHaveProperty('backSeconds');
  });

  test('is not back where executions fail after their answers', () => {
    const step = overloaded(() => 100);
    const backlog = step.backlog.map((look) => ({ ...look, failed: Math.max(0, look.at - 30) }));
    expect(judgeOverload(step, SLO)).toHaveProperty('backSeconds');
    const seen = judgeOverload({ ...step, backlog }, SLO);
    expect([seen.backSeconds, seen.failsOn]).toEqual([undefined, expect.any(Number)]);
  });

  test.each<[string, { slow?: { p95: number }; fails?: number }]>([
    ['a few are late, the median is not', { slow: { p95: 4 } }],
    ['one in fifty fails, in every third second', { fails: 3 }],
  ])('is not back where %s', (_, { slow, fails }) => {
    const step = failing((at) => (fails !== undefined && at % fails === 0 ? 1 : 0));
    const seconds = step.summary.seconds.map((second) => ({ ...second, ...(slow && { slow }) }));
    expect(judgeOverload({ ...step, summary: { ...step.summary, seconds } }, SLO)).toMatchObject({ unsettled: true });
  });

  test('may only be careful, where it refuses', () => {
    const step = failing(() => 1);
    const [overload, after] = step.phases!;
    const phases = [overload!, { ...after!, failed: 30, failures: { [REFUSED]: 30 } }];
    expect(judgeOverload({ ...step, phases }, SLO)).toMatchObject({ unsettled: true });
  });

  test('is unknown where clients have given up: their executions may keep it from answering', () => {
    const { summary } = failing(() => 1);
    const step = overloaded(() => 100, { summary });
    const [overload, after] = step.phases!;
    const phases = [{ ...overload!, failures: { 'no answer (time-out)': 300 } }, after!];
    expect(judgeOverload({ ...step, phases }, SLO)).toMatchObject({ unsettled: true });
    const ends = step.backlog.map((look) => ({ ...look, succeeded: 20 * look.at }));
    const seen = judgeOverload({ ...step, phases, backlog: ends }, SLO);
    expect([seen.failsOn, seen.unsettled, seen.collapsedTo]).toEqual([undefined, undefined, undefined]);
  });

  test('answers too late for ever: nothing shows a recovery', () => {
    const step = overloaded((at) => (at < 30 ? 20 : 100));
    const seconds = step.summary.seconds.map((second) => ({ ...second, p50: 3 }));
    expect(judgeOverload({ ...step, summary: { ...step.summary, seconds } }, SLO)).toMatchObject({ unsettled: true });
  });
});
