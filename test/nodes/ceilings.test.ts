import {
  budgetOf,
  maxMegabytes,
  maxSeconds,
  megabytesHeld,
  TimeBudget,
  withMegabytes,
} from '../../nodes/LoadTarget/ceilings';

afterEach(() => {
  delete process.env.N8N_LOAD_TARGET_MAX_SECONDS;
  delete process.env.N8N_LOAD_TARGET_MAX_MEGABYTES;
});

describe('the environment', () => {
  test('is not needed', () => {
    expect([maxSeconds(), maxMegabytes()]).toEqual([60, 1024]);
  });

  test.each([
    ['30', 30],
    [' 0.5 ', 0.5],
    ['0', 0],
    ['', 60],
    ['60', 60],
    ['61', 60],
    ['999999', 60],
  ])('lowers, never raises: %j s → %d', (value, expected) => {
    process.env.N8N_LOAD_TARGET_MAX_SECONDS = value;
    expect(maxSeconds()).toBe(expected);
  });

  test.each(['-1', 'a minute', '1e9', 'Infinity', '60s'])('%j is an error, not the default', (value) => {
    process.env.N8N_LOAD_TARGET_MAX_MEGABYTES = value;
    expect(maxMegabytes).toThrow(`N8N_LOAD_TARGET_MAX_MEGABYTES is "${value}": must be a number from 0 to 1024`);
  });
});

describe('withMegabytes', () => {
  const never = () => new Promise<never>(() => undefined);
  const broken = () => Promise.reject(new Error('broken'));

  test('gives back what it reserved when the work is done and when it fails', async () => {
    await withMegabytes(10, () => {
      expect(megabytesHeld()).toBe(10);
      return Promise.resolve();
    });
    await expect(withMegabytes(10, broken)).rejects.toThrow('broken');
    expect(megabytesHeld()).toBe(0);
  });

  test('sums over what runs at once, and says ceiling, held and asked', async () => {
    void withMegabytes(600, never);
    const started: number[] = [];
    await expect(withMegabytes(425, async () => started.push(425))).rejects.toThrow(
      '425 MB asked while this process holds 600 MB for other executions: ' +
        'the ceiling is 1024 MB a process, N8N_LOAD_TARGET_MAX_MEGABYTES can lower it',
    );
    await withMegabytes(424, async () => started.push(424));
    expect(started).toEqual([424]);
  });
});

describe('TimeBudget', () => {
  test('promises the ceiling and not a millisecond more', () => {
    const budget = new TimeBudget();
    budget.reserve(40_000);
    budget.reserve(20_000);
    expect(() => budget.reserve(1)).toThrow(
      '1 ms asked, but this execution has used 0 ms and promised 60000 ms to other items: ' +
        'the ceiling is 60 s an execution, N8N_LOAD_TARGET_MAX_SECONDS can lower it',
    );
  });

  test('an item that ran has used its time, one that never ran gives it back', () => {
    const budget = new TimeBudget();
    budget.reserve(50_000).settle(true);
    budget.reserve(10_000).settle(false);
    expect(() => budget.reserve(10_001)).toThrow('has used 50000 ms');
    budget.reserve(10_000);
  });

  test('settling twice counts once', () => {
    const budget = new TimeBudget();
    const grant = budget.reserve(30_000);
    grant.settle(true);
    grant.settle(true);
    expect(budget.reserve(30_000).freeMs()).toBe(0);
  });

  test('time found out at run time is used too, and what has no room is told', () => {
    const budget = new TimeBudget();
    const grant = budget.reserve(50_000);
    expect(grant.spend(4_000)).toBe(0);
    expect(grant.freeMs()).toBe(6_000);
    expect(grant.spend(7_500)).toBe(1_500);
    expect(() => budget.reserve(1)).toThrow('has used 10000 ms and promised 50000 ms');
  });
});

describe('budgetOf', () => {
  test('is one for an execution, another for the next, and a new one each time without an id', () => {
    expect(budgetOf('a')).toBe(budgetOf('a'));
    expect(budgetOf('a')).not.toBe(budgetOf('b'));
    expect(budgetOf(undefined)).not.toBe(budgetOf(undefined));
  });

  test('forgets the executions longest unused, but none that runs', () => {
    const running = budgetOf('running');
    running.reserve(1_000);
    const old = budgetOf('old');
    for (let i = 0; i < 10_000; i++) budgetOf(`later ${i}`);
    expect(budgetOf('running')).toBe(running);
    expect(budgetOf('old')).not.toBe(old);
  });
});
