import { terminalProgress } from '../../../capacity/src/core/progress.js';
import type { LoadPlan, Plan, RatesOf } from '../../../capacity/src/model/plan.js';
import type { StepRecord } from '../../../capacity/src/model/step.js';
import type { StepAt, StepContext } from '../../../capacity/src/run/context.js';
import { overloadAfter } from '../../../capacity/src/run/overload.js';
import { driveSearch } from '../../../capacity/src/run/profiles/search.js';
import { buildGoodStep, buildLoad, buildPlan } from '../support/index.js';

const DEATH = { at: 1, instance: 'main-0', component: 'main', kind: 'died', reason: 'OOMKilled', detail: '' } as const;
const SEARCH: RatesOf<'search'> = {
  ...{ kind: 'search', start: 2, factor: 2, precision: 0.1, maxSteps: 20, lowest: 1, samples: 100 },
};

interface Taken {
  at: StepAt;
  seconds: number;
}

/**
 * Drives a search against a deployment of which steps up to some length hold some rate.
 * @param answered requests per second that the clients of a probe get through
 * @param holds the highest rate of a step of so many seconds
 */
async function search(
  answered: number | ((clients: number) => number),
  holds: (seconds: number) => number,
  {
    load = buildLoad('webhook-ack'),
    stepOf = () => ({}),
    ...given
  }: Partial<Plan> & { load?: LoadPlan; stepOf?: (rate: number, seconds: number) => Partial<StepRecord> } = {},
): Promise<Taken[]> {
  const taken: Taken[] = [];
  const asked = buildPlan({ rates: SEARCH, ...given });
  const take = (at: StepAt, seconds = asked.stepSeconds): Promise<StepRecord> => {
    taken.push({ at, seconds });
    if ('clients' in at) {
      const good = buildGoodStep({ rate: 1 });
      const probe = { ...good, rate: undefined, clients: at.clients, measuredTo: good.measuredFrom + 1000 * seconds };
      return Promise.resolve({
        ...probe,
        summary: {
          ...good.summary,
          answered: (typeof answered === 'number' ? answered : answered(at.clients)) * seconds,
        },
      });
    }
    const { rate } = at as { rate: number };
    return Promise.resolve(
      buildGoodStep({ rate, ...stepOf(rate, seconds), ...(rate > holds(seconds) && { events: [DEATH] }) }),
    );
  };
  const context = { plan: asked, progress: terminalProgress(true) } as unknown as StepContext;
  await driveSearch.drive({ context, load, earlier: [], take }, asked.rates as RatesOf<'search'>);
  return taken;
}

const ratesOf = (taken: Taken[]) => taken.flatMap(({ at }) => ('rate' in at ? [at.rate] : []));

test('a search begins where a few waiting clients say, and steps up with care', async () => {
  const taken = await search(100, () => 80);
  expect(taken[0]).toEqual({ at: { clients: 10 }, seconds: 5 });
  // 0.7 × 100, then × 1.25: never the double of what it takes.
  expect(ratesOf(taken).slice(0, 2)).toEqual([70, 88]);
  expect(Math.max(...ratesOf(taken))).toBeLessThan(100);
});

test('the clients come again until n8n is warm: what a cold n8n gets through is not its capacity', async () => {
  const rates = [33, 60, 90, 92];
  const taken = await search(
    () => rates.shift()!,
    () => 80,
  );
  expect(taken.slice(0, 4).map(({ at }) => at)).toEqual(Array(4).fill({ clients: 10 }));
  // 0.7 × 92.
  expect(ratesOf(taken)[0]).toBe(64);
});

test.each([
  ['holds what is most often sustained, and tries more', 80, [75, 87]],
  ['goes down from it', 40, [75, 63, 42, 21]],
])('a quick search saturates the deployment, and %s', async (_, holds, rates) => {
  const taken = await search(100, () => holds, { rates: { ...SEARCH, precision: 0.4 } });
  expect(taken.slice(0, 2).map(({ at }) => at)).toEqual([{ clients: 10 }, { clients: 20 }]);
  expect([...new Set(ratesOf(taken))].slice(0, rates.length)).toEqual(rates);
  const held = taken.filter(({ at }) => 'rate' in at && at.rate <= 75);
  expect(held[0]!.seconds).toBe(60);
});

test.each([
  ['0.75 of it if many requests may wait', 100, { p95: 1 }, 75],
  ['less if few may', 20, { p95: 1 }, 10],
  ['less by the strictest of the objectives', 100, { p50: 0.05, p95: 1 }, 54],
  ['half of it at least', 100, { p95: 0.1 }, 50],
])('a quick search holds first, of what saturates the deployment, %s', async (_, saturated, objectives, first) => {
  const slo = { errors: 0.001, ...objectives };
  const taken = await search(saturated, () => 0, { slo, rates: { ...SEARCH, precision: 0.4 } });
  expect(ratesOf(taken)[0]).toBe(first);
});

test('a quick search tries no rate that is too low to be judged', async () => {
  const rates = { ...SEARCH, precision: 0.4, lowest: 2 };
  expect(new Set(ratesOf(await search(1.5, () => 1, { rates })))).toEqual(new Set([2]));
});

test('a quick search of a deployment that ever more clients do not saturate goes on by short steps', async () => {
  const taken = await search(
    (clients) => 10 * clients,
    () => 80,
    { rates: { ...SEARCH, precision: 0.4 } },
  );
  const clients = taken.flatMap(({ at }) => ('clients' in at ? [at.clients] : []));
  expect(clients).toEqual([10, 20, 40, 80]);
  // 0.7 of what the first of them got through.
  expect(ratesOf(taken)[0]).toBe(70);
});

test('where the probe was far too low, the steps become larger', async () => {
  const [first, second, third, fourth] = ratesOf(await search(10, () => 80));
  expect([first, second, third]).toEqual([7, 8.8, 11]);
  expect(fourth! / third!).toBeGreaterThan(1.5);
});

describe('with a challenge', () => {
  const rates = { ...SEARCH, challenge: 20 };

  test('nothing follows it where it does not hold', async () => {
    expect((await search(100, () => 15, { rates })).map(({ at }) => at)).toEqual([{ rate: 20 }]);
  });

  test('once it holds, a probe shows where to go on', async () => {
    const [first, probe, second] = (await search(100, () => 80, { rates })).map(({ at }) => at);
    expect([first, second]).toEqual([{ rate: 20 }, { rate: 70 }]);
    expect(probe).toHaveProperty('clients');
  });

  test('a probe that got less through does not lead below it', async () => {
    const tried = ratesOf(await search(10, () => 22, { rates }));
    expect(tried.slice(0, 2)).toEqual([20, 25]);
    expect(Math.min(...tried)).toBe(20);
  });

  test('a search that is otherwise quick begins with it, too', async () => {
    const taken = await search(100, () => 80, { rates: { ...rates, precision: 0.4 } });
    expect(taken.slice(0, 3).map(({ at }) => at)).toEqual([{ rate: 20 }, { clients: 10 }, { rate: 70 }]);
  });
});

test.each<[string, Parameters<typeof search>[2]]>([
  ['n8n answers before it works: clients would flood it', { load: { ...buildLoad('x'), executionSeconds: { x: 5 } } }],
  ['the n8n is one that others use', { guard: { maxRate: 50 } }],
  ['the user chose the length of a step', { rates: { ...SEARCH, samples: undefined } }],
])('there is no probe where %s', async (_, given) => {
  expect((await search(100, () => 80, given)).every(({ at }) => !('clients' in at))).toBe(true);
});

test('a rate that short steps hold and a minute does not gives way to the next lower one', async () => {
  const taken = await search(100, (seconds) => (seconds < 60 ? 80 : 65));
  const held = taken.filter(({ seconds }) => seconds >= 60).map(({ at }) => (at as { rate: number }).rate);
  expect(held[0]).toBeGreaterThan(70);
  expect(held.at(-1)).toBeLessThanOrEqual(65);
  expect(held.at(-1)! * 1.1).toBeGreaterThan(65);
  held.slice(1).forEach((rate, i) => expect(rate).toBeLessThan(held[i]!));
});

test('a rate so low that two minutes prove nothing is held until they do', async () => {
  const longEnough = (rate: number, seconds: number): Partial<StepRecord> => {
    const requests = Math.round(rate * seconds);
    const good = buildGoodStep({ rate, measuredTo: 1_000_000 + 1000 * seconds });
    const backlog = Array.from({ length: seconds }, (_, at) => ({ at, executions: 0 }));
    return {
      ...good,
      ...{ backlog, executions: { ...good.executions!, sent: requests, accepted: requests, completed: requests } },
      summary: { ...good.summary, offered: requests, answered: requests, slow: { p95: 0, p99: 0 } },
    };
  };
  const taken = await search(3, () => 2.3, { stepOf: longEnough });
  const [held] = ratesOf(taken).slice(-1);
  const seconds = taken.filter(({ at }) => 'rate' in at && at.rate === held).map((t) => t.seconds);
  expect(held).toBeGreaterThan(2.1);
  // 314 requests without a fault prove that at most 1 % fail.
  expect(seconds.reduce((a, b) => a + b) * held!).toBeGreaterThanOrEqual(310);
});

describe('an overload', () => {
  const load = buildLoad('webhook-wait', 5);
  const asked = (changes: Partial<Plan> = {}) => buildPlan({ overload: true, loads: [load], ...changes });
  const held = [{ ...buildGoodStep({ rate: 20 }), load: 'webhook-wait' }];

  test('follows a rate that held; its clients wait for 5 s above the service time', () => {
    const after = overloadAfter(asked(), load, held);
    expect(after).toMatchObject({ held: 20, bounds: { timeoutSeconds: 10 } });
    expect(after!.phases.map(({ rate }) => rate)).toEqual([40, 16]);
  });

  test.each<[string, Partial<Plan>, StepRecord[]]>([
    ['none is asked for', { overload: false }, held],
    ['others use the n8n', { guard: { maxRate: 100 } }, held],
    ['no rate held', {}, held.map((step) => ({ ...step, events: [DEATH] }))],
    ['nothing was measured', {}, []],
  ])('does not follow where %s', (_, changes, steps) => {
    expect(overloadAfter(asked(changes), load, steps)).toBeUndefined();
  });
});
