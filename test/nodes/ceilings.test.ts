import fc from 'fast-check';
import { Account, type Grant } from '../../nodes/LoadTarget/ceilings/account';
import { Ceiling, CeilingError, ceilings, EnvironmentError } from '../../nodes/LoadTarget/ceilings/ceiling';
import { findBudget, ExecutionBudget } from '../../nodes/LoadTarget/ceilings/execution';
import { withMegabytes } from '../../nodes/LoadTarget/ceilings/process';
import { resetEnvironment } from './support/execution';

afterEach(resetEnvironment);

function catchError(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('a ceiling', () => {
  test('has a default', () => {
    const values = Object.entries(ceilings).map(([name, { value }]) => [name, value]);
    expect(Object.fromEntries(values)).toEqual({
      ...{
        seconds: 60,
        inputItems: 10_000,
        megabytes: 1024,
        payloadMegabytes: 64,
        payloadItems: 10_000,
        diskMegabytes: 256,
        requests: 1000,
        fanOuts: 1,
      },
    });
  });

  test.each([
    ['30', 30],
    [' 0.5 ', 0.5],
    ['0', 0],
    ['', 60],
    ['60', 60],
    ['61', 60],
    ['999999', 60],
  ])('is lowered, never raised: %j s → %d', (value, expected) => {
    process.env.N8N_LOAD_TARGET_MAX_SECONDS = value;
    expect(ceilings.seconds.value).toBe(expected);
  });

  test.each([
    ['N8N_LOAD_TARGET_MAX_MEGABYTES', 'megabytes', 1024],
    ['N8N_LOAD_TARGET_MAX_PAYLOAD_MEGABYTES', 'payloadMegabytes', 64],
    ['N8N_LOAD_TARGET_MAX_DISK_MEGABYTES', 'diskMegabytes', 256],
    ['N8N_LOAD_TARGET_MAX_REQUESTS', 'requests', 1000],
  ] as const)('%s lowers %s', (variable, name, highest) => {
    process.env[variable] = '3';
    expect(ceilings[name].value).toBe(3);
    expect(ceilings[name].text).toContain(variable);
    process.env[variable] = `${highest + 1}`;
    expect(ceilings[name].value).toBe(highest);
  });

  test.each(['-1', 'a minute', '1e9', 'Infinity', '60s'])('%j is an error, not the default', (value) => {
    process.env.N8N_LOAD_TARGET_MAX_MEGABYTES = value;
    expect(catchError(() => ceilings.megabytes.value)).toMatchObject({ variable: 'N8N_LOAD_TARGET_MAX_MEGABYTES' });
    expect(() => ceilings.megabytes.value).toThrow(EnvironmentError);
  });
});

describe('an account', () => {
  const account = () => new Account(new Ceiling(60, 's an execution', 'N8N_LOAD_TARGET_MAX_SECONDS'), 'ms', 1000);

  test('reserves up to the ceiling and not a thousandth more', () => {
    const time = account();
    time.reserve(40_000);
    time.reserve(20_000);
    expect(() => time.reserve(0.001)).toThrow(CeilingError);
    expect(catchError(() => time.reserve(0.001))).toMatchObject({ amounts: { requested: 0.001, taken: 60_000 } });
  });

  test('keeps what was used, and returns the rest once', () => {
    const time = account();
    const grant = time.reserve(50_000);
    grant.use(20_000);
    grant.close();
    grant.close();
    grant.use();
    expect(time).toMatchObject({ taken: 20_000, free: 40_000, idle: true });
  });

  test('uses a grant up to its amount', () => {
    const time = account();
    const grant = time.reserve(10);
    grant.use(7);
    grant.use(7);
    expect(time.taken).toBe(10);
  });

  test('uses what was not reserved, and returns what has no room', () => {
    const time = account();
    time.reserve(50_000);
    expect(time.spend(4_000)).toBe(0);
    expect(time.spend(7_500)).toBe(1_500);
    expect(time.free).toBe(0);
  });

  test('has nothing free if the ceiling is lowered below what is taken', () => {
    const time = account();
    time.reserve(50_000);
    process.env.N8N_LOAD_TARGET_MAX_SECONDS = '1';
    expect(time.free).toBe(0);
    expect(time.spend(5)).toBe(5);
  });

  /** Any number, with many that fit. */
  const amount = fc.oneof(fc.double({ min: 0, max: 30_000 }), fc.integer({ min: 0, max: 30_000 }), fc.double());
  const step = fc.oneof(
    fc.record({ kind: fc.constant('reserve' as const), amount }),
    fc.record({ kind: fc.constant('spend' as const), amount: fc.double({ min: 0, max: 1e9, noNaN: true }) }),
    fc.record({ kind: fc.constant('use' as const), amount: fc.double({ min: 0, noNaN: true }), at: fc.nat() }),
    fc.record({ kind: fc.constant('close' as const), at: fc.nat() }),
  );

  test('never takes more than the ceiling, and reserves nothing when all grants are closed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const time = account();
        const grants: Grant[] = [];
        for (const taken of steps) {
          if (taken.kind === 'reserve') {
            try {
              grants.push(time.reserve(taken.amount));
            } catch (error) {
              expect(error).toBeInstanceOf(CeilingError);
            }
          } else if (taken.kind === 'spend') {
            time.spend(taken.amount);
          } else {
            const grant = grants[taken.at % (grants.length || 1)];
            if (taken.kind === 'use') grant?.use(taken.amount);
            else grant?.close();
          }
          // 1e-6: sums of fractions are not exact.
          expect(time.taken).toBeGreaterThanOrEqual(-1e-6);
          expect(time.taken).toBeLessThanOrEqual(60_000 + 1e-6);
        }
        grants.forEach((grant) => grant.close());
        const used = time.taken;
        expect(time.idle).toBe(true);
        expect(time.free).toBe(Math.max(0, 60_000 - used));
      }),
    );
  });
});

describe('withMegabytes', () => {
  const memory = new Account(ceilings.megabytes, 'MB');

  test('returns what it reserved when the work is done and when it fails', async () => {
    await withMegabytes(memory, 10, async () => expect(memory.taken).toBe(10));
    const broken = withMegabytes(memory, 10, () => Promise.reject(new Error('broken')));
    await expect(broken).rejects.toThrow('broken');
    expect(memory.taken).toBe(0);
  });

  test('refuses before any work', async () => {
    const work = jest.fn();
    const refusal = { ceiling: ceilings.megabytes, amounts: { requested: 1025, taken: 0 } };
    await expect(withMegabytes(memory, 1025, work)).rejects.toMatchObject(refusal);
    expect(work).not.toHaveBeenCalled();
  });
});

describe('the budget of an execution', () => {
  test('reserves all costs or none', () => {
    const budget = new ExecutionBudget();
    const refusal = { ceiling: ceilings.payloadItems, amounts: { requested: 10_001, taken: 0 } };
    expect(catchError(() => budget.reserve({ time: 1000, payload: 64, items: 10_001 }))).toMatchObject(refusal);
    expect([budget.time.taken, budget.payload.taken, budget.idle]).toEqual([0, 0, true]);
    const reserved = budget.reserve({ time: 1000, requests: 7 });
    expect([budget.time.taken, budget.requests.taken, budget.idle]).toEqual([1000, 7, false]);
    reserved.requests.use();
    reserved.close();
    expect([budget.time.taken, budget.requests.taken, budget.idle]).toEqual([0, 7, true]);
  });

  test('is shared within an execution, and new for each call without an id', () => {
    expect(findBudget('a')).toBe(findBudget('a'));
    expect(findBudget('a')).not.toBe(findBudget('b'));
    expect(findBudget(undefined)).not.toBe(findBudget(undefined));
  });

  test('forgets the executions that are unused for longest, but none that is running', () => {
    const running = findBudget('running');
    running.reserve({ time: 0.1 });
    const old = findBudget('old');
    for (let i = 0; i < 10_000; i++) findBudget(`later ${i}`);
    expect(findBudget('running')).toBe(running);
    expect(findBudget('old')).not.toBe(old);
  });
});
