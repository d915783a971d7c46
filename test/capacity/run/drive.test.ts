import { judgeSteps } from '../../../capacity/src/judge/run.js';
import { driveLoad } from '../../../capacity/src/run/drive.js';
import type { StepAt, StepContext } from '../../../capacity/src/run/context.js';
import type { Driver, DriveProfile } from '../../../capacity/src/run/profile.js';
import { driveBurst } from '../../../capacity/src/run/profiles/burst.js';
import { driveConfirm } from '../../../capacity/src/run/profiles/confirm.js';
import { driveClosed } from '../../../capacity/src/run/profiles/closed.js';
import { drivePayloadLimit } from '../../../capacity/src/run/profiles/payload-limit.js';
import { driveRates } from '../../../capacity/src/run/profiles/rates.js';
import { driveSearch } from '../../../capacity/src/run/profiles/search.js';
import { driveSoak } from '../../../capacity/src/run/profiles/soak.js';
import { driveTarget } from '../../../capacity/src/run/profiles/target.js';
import { EventLog } from '../../../capacity/src/model/deployment.js';
import type { Kind, Plan, RatesOf } from '../../../capacity/src/model/plan.js';
import type { StepRecord } from '../../../capacity/src/model/step.js';
import { terminalProgress } from '../../../capacity/src/core/progress.js';
import { buildGoodStep, buildPlan, regularDeployment } from '../support/index.js';

const DEATH = { at: 1, instance: 'main-0', component: 'main', kind: 'died', reason: 'OOMKilled', detail: '' } as const;

/** What a deployment does with a step: nothing dies up to these limits. */
interface Truth {
  rate?: number;
  payloadMiB?: number;
}

/** A driver whose deployment is simulated, and what it was asked for. */
function driverOf(given: Partial<Plan>, { rate = Infinity, payloadMiB = Infinity }: Truth = {}) {
  const asked: StepAt[] = [];
  const rows: unknown[] = [];
  const context = {
    plan: buildPlan(given),
    progress: terminalProgress(true),
    recorder: { rows: (row: unknown) => Promise.resolve(void rows.push(row)) },
    deployment: {
      record: regularDeployment(),
      events: new EventLog(),
      sources: { countRows: () => Promise.resolve({ execution_entity: 1, execution_data: 1 }) },
    },
  } as unknown as StepContext;
  const take = (at: StepAt): Promise<StepRecord> => {
    asked.push(at);
    const tooMuch =
      ('rate' in at && at.rate > rate) ||
      ('payloadMiB' in at && at.payloadMiB !== undefined && at.payloadMiB > payloadMiB);
    const step = buildGoodStep({ ...('phases' in at ? {} : at), ...(tooMuch && { events: [DEATH] }) });
    return Promise.resolve('rate' in at || 'phases' in at ? step : { ...step, rate: undefined });
  };
  const driver: Driver = { context, load: context.plan.loads[0]!, earlier: [], take };
  return { asked, rows, driver };
}

async function steps<K extends Kind>(
  profile: DriveProfile<K>,
  rates: RatesOf<K>,
  truth?: Truth,
  given: Partial<Plan> = {},
): Promise<StepAt[]> {
  const { asked, driver } = driverOf({ ...given, rates }, truth);
  await profile.drive(driver, rates);
  return asked;
}

const SEARCH: RatesOf<'search'> = {
  ...{ kind: 'search', start: 5, factor: 2, precision: 0.25, maxSteps: 20, lowest: 1 },
};
const ratesOf = (asked: StepAt[]) => asked.map((at) => ('rate' in at ? at.rate : Number.NaN));

describe('the steps of each kind of run', () => {
  test('each rate of a confirmation, in its order', async () => {
    expect(ratesOf(await steps(driveConfirm, { kind: 'confirm', rates: [26, 20] }))).toEqual([26, 20]);
  });

  test('a disturbed step is repeated at its length: it says nothing of how many requests prove the rate', async () => {
    const { driver } = driverOf({ stepSeconds: 30 });
    const lengths: (number | undefined)[] = [];
    const take: Driver['take'] = (at, seconds) => {
      lengths.push(seconds);
      const k6 = { exitCode: 1, message: 'k6 ended', cpuShare: 0.1, samples: 's' };
      return Promise.resolve(buildGoodStep({ ...('rate' in at && at), ...(lengths.length === 1 && { k6 }) }));
    };
    await driveConfirm.drive({ ...driver, take }, { kind: 'confirm', rates: [20] });
    expect(lengths).toEqual([30, 30]);
  });

  test('given rates, all of them', async () => {
    expect(await steps(driveRates, { kind: 'rates', rates: [5, 80, 10] }, { rate: 20 })).toEqual([
      { rate: 5 },
      { rate: 80 },
      { rate: 10 },
    ]);
  });

  /** Six of a hundred answers are slow, which chance may explain; five may be. */
  const missed = (at: StepAt): StepRecord => {
    const step = buildGoodStep('rate' in at ? at : {});
    return { ...step, summary: { ...step.summary, slow: { p95: Math.round(0.06 * step.summary.answered) } } };
  };

  test.each([
    { holds: 'then', misses: 1, asked: [5, 10, 5, 5], verdict: 'PASS' },
    { holds: 'never', misses: 9, asked: [5, 10, 5], verdict: 'FAIL' },
  ])(
    'a rate that was missed below one that held is tried again, and holds $holds',
    async ({ misses, asked: expected, verdict }) => {
      const { driver, asked } = driverOf({ rates: { kind: 'rates', rates: [5, 10] } });
      const taken: StepRecord[] = [];
      const take: Driver['take'] = async (at) => {
        const held = await driver.take(at);
        const tries = ratesOf(asked).filter((rate) => rate === 5).length;
        taken.push('rate' in at && at.rate === 5 && tries <= misses ? missed(at) : held);
        return taken.at(-1)!;
      };
      await driveRates.drive({ ...driver, take }, { kind: 'rates', rates: [5, 10] });
      expect(ratesOf(asked)).toEqual(expected);
      expect(judgeSteps(driver.context.plan, taken).loads[0]!.verdict).toBe(verdict);
    },
  );

  test('a rate that was missed is not tried again where no higher one held', async () => {
    const { driver, asked } = driverOf({ rates: { kind: 'rates', rates: [5, 10] } });
    const take: Driver['take'] = async (at) => {
      await driver.take(at);
      return missed(at);
    };
    await driveRates.drive({ ...driver, take }, { kind: 'rates', rates: [5, 10] });
    expect(ratesOf(asked)).toEqual([5, 10]);
  });

  test('given rates on an n8n that others use: none after the first that does not hold', async () => {
    const guarded = { guard: { maxRate: 100 } };
    expect(ratesOf(await steps(driveRates, { kind: 'rates', rates: [5, 80, 10] }, { rate: 20 }, guarded))).toEqual([
      5, 80,
    ]);
  });

  test('a search goes up until a rate breaks, then ends within its precision', async () => {
    const tried = ratesOf(await steps(driveSearch, SEARCH, { rate: 33 }));
    expect(tried.slice(0, 4)).toEqual([5, 10, 20, 40]);
    const held = Math.max(...tried.filter((r) => r <= 33));
    const broken = Math.min(...tried.filter((r) => r > 33));
    expect(broken / held).toBeLessThanOrEqual(1.25);
  });

  test('a search on an n8n that others use: never above its limit, and none after the first that does not hold', async () => {
    const free = ratesOf(await steps(driveSearch, SEARCH, {}, { guard: { maxRate: 30 } }));
    expect(free).toEqual([5, 10, 20, 30]);
    const breaking = ratesOf(await steps(driveSearch, SEARCH, { rate: 12 }, { guard: { maxRate: 30 } }));
    expect(breaking).toEqual([5, 10, 20]);
  });

  test('on an n8n that others use, nothing follows a hold or a target that does not hold', async () => {
    // 10/s holds at first and breaks when it is held.
    const guarded = { guard: { maxRate: 10 } };
    const { asked, driver } = driverOf({ ...guarded, rates: { ...SEARCH, samples: 100 } });
    const { take } = driver;
    let tens = 0;
    driver.take = async (at, seconds) => {
      const step = await take(at, seconds);
      return 'rate' in at && at.rate === 10 && ++tens > 1 ? { ...step, events: [DEATH] } : step;
    };
    await driveSearch.drive(driver, { ...SEARCH, samples: 100 });
    expect(ratesOf(asked)).toEqual([5, 10, 10]);
    expect(ratesOf(await steps(driveTarget, { kind: 'target', rate: 10, headroom: 1 }, { rate: 5 }, guarded))).toEqual([
      10,
    ]);
  });

  test('a search with a challenge begins there, and ends when it does not hold', async () => {
    expect(ratesOf(await steps(driveSearch, { ...SEARCH, challenge: 50 }, { rate: 20 }))).toEqual([50]);
  });

  test('a target is one step with its headroom', async () => {
    expect(ratesOf(await steps(driveTarget, { kind: 'target', rate: 20, headroom: 1.3 }))).toEqual([26]);
  });

  test('clients are one step', async () => {
    expect(await steps(driveClosed, { kind: 'closed', clients: 8 })).toEqual([{ clients: 8 }]);
  });

  test.each([
    [[10, 10], 2],
    [[10, 9], 2],
    [[10, 12, 12.5], 3],
    [[10, 20, 40, 80], 4],
  ])('before an overload clients come until they no longer get through more: %j', async (rates, count) => {
    const { driver } = driverOf({});
    let taken = 0;
    const take: Driver['take'] = () => Promise.resolve(buildGoodStep({ rate: rates[taken++] ?? 1000 }));
    await driveClosed.drive({ ...driver, take }, { kind: 'closed', clients: 8, overload: 3 });
    expect(taken).toBe(count);
  });

  test.each([
    ['something dies', buildGoodStep({ rate: 10, events: [DEATH] })],
    [
      'nothing is answered',
      buildGoodStep({ rate: 10, summary: { ...buildGoodStep({ rate: 10 }).summary, answered: 0 } }),
    ],
  ])('they come once where %s', async (_, step) => {
    let taken = 0;
    const take: Driver['take'] = () => {
      taken++;
      return Promise.resolve(step);
    };
    await driveClosed.drive({ ...driverOf({}).driver, take }, { kind: 'closed', clients: 8, overload: 3 });
    expect(taken).toBe(1);
  });

  test('a soak is one step, with the rows counted', async () => {
    const rates: RatesOf<'soak'> = { kind: 'soak', rate: 7, horizonSeconds: 3600 };
    const { asked, rows, driver } = driverOf({ rates });
    await driveSoak.drive(driver, rates);
    expect(asked).toEqual([{ rate: 7 }]);
    expect(rows).toHaveLength(1);
  });

  test('a burst is one step of three phases', async () => {
    const burst: RatesOf<'burst'> = {
      ...{ kind: 'burst', base: 1, spike: 20, baseSeconds: 20, spikeSeconds: 10 },
      ...{ recoverySeconds: 70, drainWithinSeconds: 60 },
    };
    expect(await steps(driveBurst, burst)).toEqual([
      {
        phases: [
          { name: 'base', rate: 1, seconds: 20 },
          { name: 'spike', rate: 20, seconds: 10 },
          { name: 'recovery', rate: 1, seconds: 70 },
        ],
      },
    ]);
  });

  test('payloads are bracketed at each concurrency', async () => {
    const asked = await steps(
      drivePayloadLimit,
      { kind: 'payload-limit', concurrency: [1, 2], minMiB: 16, maxMiB: 1024 },
      { payloadMiB: 190 },
    );
    for (const clients of [1, 2]) {
      const sizes = asked.flatMap((at) => ('clients' in at && at.clients === clients ? [at.payloadMiB!] : []));
      const held = Math.max(...sizes.filter((size) => size <= 190));
      const broke = Math.min(...sizes.filter((size) => size > 190));
      expect(broke - held).toBeLessThanOrEqual(16);
      expect(sizes.every((size) => size * clients <= 1024)).toBe(true);
    }
  });
});

test('a step that is recorded already is not run again', async () => {
  const { driver } = driverOf({ rates: { kind: 'rates', rates: [5, 10] } });
  const { load } = driver;
  const recorded = [5, 10].map((rate, index) => buildGoodStep({ index, load: load.name, rate }));
  expect(await driveLoad(driver.context, load, [], recorded)).toEqual(recorded);
});
