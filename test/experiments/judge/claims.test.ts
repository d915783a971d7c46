import { judgeClaims } from '../../../experiments/src/judge/claims.js';
import type { CellRecord } from '../../../experiments/src/record/schema.js';
import type { ExperimentClaim } from '../../../experiments/src/spec/schema.js';
import { closedLoad, createCellRecord } from '../recorded.js';

const cells = [
  createCellRecord({ of: { arrangement: 'one' }, load: closedLoad(100) }),
  createCellRecord({ of: { arrangement: 'cluster' }, load: closedLoad(150) }),
  createCellRecord({ of: { arrangement: 'broken' }, load: closedLoad(150, 50) }),
];
const claim = (given: Partial<ExperimentClaim>): ExperimentClaim => ({
  says: 'so',
  measure: 'rate',
  of: { part: 'control', arrangement: 'cluster' },
  key: false,
  mayFail: false,
  ...given,
});
const judged = (given: Partial<ExperimentClaim>) => judgeClaims([claim(given)], cells)[0]!;

test('a ratio of two cells is compared with its bounds', () => {
  const over = { part: 'control', arrangement: 'one' };
  expect(judged({ over, atLeast: 1.2 })).toMatchObject({ verdict: 'holds', value: 1.5 });
  expect(judged({ over, atLeast: 1.6 }).verdict).toBe('fails');
  expect(judged({ over, atMost: 1.4 }).verdict).toBe('fails');
});

test('a claim with `best` compares with the best of the other cells', () => {
  const faster = [...cells, createCellRecord({ of: { arrangement: 'cluster', run: 2 }, load: closedLoad(120) })];
  const of = { part: 'control', arrangement: 'one' };
  const over = { part: 'control', arrangement: 'cluster' };
  const [best] = judgeClaims([claim({ of, over, best: true, atMost: 0.7 })], faster);
  expect(best).toMatchObject({ verdict: 'holds', value: 100 / 150 });
  expect(judgeClaims([claim({ of, over, atMost: 0.7 })], faster)[0]!.verdict).toBe('INCONCLUSIVE');
});

test('a claim with `best` over listed values compares with the value that has the best median', () => {
  const runs = (arrangement: string, rates: number[]) =>
    rates.map((rate, run) => createCellRecord({ of: { arrangement, run }, load: closedLoad(rate) }));
  const all = [...runs('one', [100, 120]), ...runs('cluster', [50, 60]), ...runs('broken', [80, 20])];
  const of = { part: 'control', arrangement: 'one' };
  const over = { part: 'control', arrangement: ['cluster', 'broken'] };
  // The median of the cluster's runs is 55, that of the other 50.
  expect(judgeClaims([claim({ of, over, best: true, atLeast: 2 })], all)[0]).toMatchObject({
    verdict: 'holds',
    value: 2,
  });
});

test('a claim about several cells is judged by the cell nearest to breaking it', () => {
  const of = { part: 'control', arrangement: ['one', 'broken'] };
  expect(judged({ of, measure: 'failedShare', atMost: 0.1 })).toMatchObject({ verdict: 'fails', value: 0.25 });
  expect(judged({ of, measure: 'failedShare', atLeast: 0.1 })).toMatchObject({ verdict: 'fails', value: 0 });
});

test('a rate of a failing deployment proves no claim, unless the claim allows failures', () => {
  const broken = {
    of: { part: 'control', arrangement: 'broken' },
    over: { part: 'control', arrangement: 'one' },
    atMost: 9,
  };
  expect(judged(broken)).toMatchObject({ verdict: 'INCONCLUSIVE' });
  expect(judged({ ...broken, mayFail: true }).verdict).toBe('holds');
});

test('one cell refutes a claim about all cells, even if others have no figure', () => {
  const of = { part: 'control' };
  // 'broken' gives no rate.
  expect(judged({ of, atLeast: 12 })).toMatchObject({ verdict: 'fails', value: 10 });
  expect(judged({ of, atLeast: 9 }).verdict).toBe('INCONCLUSIVE');
});

test('the median of several runs counts, and a bound within their spread is INCONCLUSIVE', () => {
  const runs = [100, 110, 90].flatMap((one, run) => [
    createCellRecord({ of: { arrangement: 'one', run }, load: closedLoad(100) }),
    createCellRecord({ of: { arrangement: 'cluster', run }, load: closedLoad(one) }),
  ]);
  const over = { part: 'control', arrangement: 'one' };
  const of = (given: Partial<ExperimentClaim>) => judgeClaims([claim({ over, ...given })], runs)[0]!;
  expect(of({ atLeast: 0.8 })).toMatchObject({ verdict: 'holds', value: 1 });
  expect(of({ atLeast: 0.95 }).verdict).toBe('INCONCLUSIVE');
  expect(of({ atLeast: 1.2 }).verdict).toBe('fails');
  // Runs on both sides of the bounds.
  expect(of({ atLeast: 0.95, atMost: 1.05 }).verdict).toBe('INCONCLUSIVE');
});

test('a claim about outcomes holds if every outcome is allowed', () => {
  expect(judged({ of: { arrangement: 'broken' }, measure: 'outcome', is: ['FailedRequests'] })).toMatchObject({
    verdict: 'holds',
    measured: 'FailedRequests',
  });
  expect(judged({ of: { part: 'control' }, measure: 'outcome', is: ['survives'] })).toMatchObject({
    verdict: 'fails',
    measured: 'survives, FailedRequests',
  });
});

test.each([
  ['no such cell', { of: { part: 'control', arrangement: 'pm2' } }, 'not measured'],
  ['nothing to compare it with', { over: { part: 'control', arrangement: 'pm2' }, atLeast: 1 }, 'not measured'],
  ['no such figure', { measure: 'payload', atLeast: 1 }, 'INCONCLUSIVE'],
])('%s: the claim does not hold', (_, given, verdict) => {
  expect(judged(given).verdict).toBe(verdict);
});

test('a rate of a cell in which k6 was above 80 % of its limit is INCONCLUSIVE; memory and fairness are not', () => {
  const of = (load: Partial<NonNullable<CellRecord['load']>>) => [
    createCellRecord({
      of: { arrangement: 'cluster' },
      load: { ...closedLoad(1000), ...load },
      processes: [{ pid: 1, role: 'control', peakMib: 80 }],
    }),
  ];
  const one = (given: Partial<ExperimentClaim>, load: object) => judgeClaims([claim(given)], of(load))[0]!;
  expect(one({ atLeast: 50 }, { k6CpuShare: 0.79 }).verdict).toBe('holds');
  expect(one({ atLeast: 50 }, { k6CpuShare: 0.804 })).toMatchObject({
    verdict: 'INCONCLUSIVE',
    measured: 'k6 was at 80 % of its limit',
  });
  // 100/s of the 110/s that k6 reaches against a server that answers immediately.
  expect(one({ atLeast: 50 }, { k6CpuShare: 0.3, k6Limit: 110 }).verdict).toBe('INCONCLUSIVE');
  expect(one({ measure: 'serverMemory', atMost: 100 }, { k6CpuShare: 0.95 }).verdict).toBe('holds');
});

test('a closed loop in which each client sent only about one request gives no rate, which would be clients ÷ seconds', () => {
  const waiting = createCellRecord({
    of: { arrangement: 'cluster' },
    load: { ...closedLoad(402), clients: 400, seconds: 25 },
  });
  expect(judgeClaims([claim({ atLeast: 10 })], [waiting])[0]).toMatchObject({
    verdict: 'INCONCLUSIVE',
    measured: expect.stringContaining('400 clients sent only 402 requests'),
  });
  const busy = { ...waiting, load: { ...closedLoad(2085), clients: 400, seconds: 25 } };
  expect(judgeClaims([claim({ atLeast: 10 })], [busy])[0]!.verdict).toBe('holds');
});

test('dropped requests count as failed, so a percentile of the other requests proves nothing', () => {
  const load = { ...closedLoad(128), dropped: 52, asked: 6, clients: undefined };
  const cell = createCellRecord({ of: { arrangement: 'cluster' }, load });
  expect(judgeClaims([claim({ measure: 'p95', atMost: 60 })], [cell])[0]).toMatchObject({
    verdict: 'INCONCLUSIVE',
    measured: '29 % of its requests failed or were dropped',
  });
});

test.each([
  ['p99', 298, 'INCONCLUSIVE'],
  ['p99', 299, 'holds'],
  ['p95', 58, 'INCONCLUSIVE'],
  ['p95', 59, 'holds'],
])(
  'a %s from %d answers is judged %s; a percentile needs enough answers for 95 %% confidence',
  (measure, answers, verdict) => {
    const cell = createCellRecord({ of: { arrangement: 'cluster' }, load: closedLoad(answers) });
    expect(judgeClaims([claim({ measure, atMost: 2 })], [cell])[0]!.verdict).toBe(verdict);
  },
);

test('a claim about a version of the Webhook node is judged from cells of that version; older records had version 1', () => {
  const cells = [
    createCellRecord({ part: 'one', of: { workload: 'webhook-ack' }, load: closedLoad(100) }),
    createCellRecord({ part: 'one', of: { workload: 'webhook-ack' }, webhook: 2.1, load: closedLoad(400) }),
  ];
  const of = (webhook: number) =>
    judgeClaims([claim({ of: { part: 'one', workload: 'webhook-ack', webhook }, atLeast: 20 })], cells)[0]!;
  expect([of(1).verdict, of(2.1).verdict]).toEqual(['fails', 'holds']);
  expect(of(2).verdict).toBe('not measured');
});

describe('an overload', () => {
  const overload = { capacity: 20, rate: 60, seconds: 10, answered: 180, refused: 360, failed: 0 };
  const cell = (given: Partial<CellRecord>) =>
    createCellRecord({ of: { times: 3 }, overload: { ...overload, completed: 18 }, ...given });
  const goodput = (of: CellRecord[]) =>
    judgeClaims(
      [claim({ measure: 'goodput', of: { part: ['control', 'again'] }, atLeast: 0.9, mayFail: true })],
      of,
    )[0]!;

  test('far below the asked multiple proves nothing about goodput', () => {
    expect(goodput([cell({})])).toMatchObject({ verdict: 'holds', value: 0.9 });
    const less = { ...overload, refused: 351, completed: 18 };
    expect(goodput([cell({ overload: less })]).verdict).toBe('INCONCLUSIVE');
  });

  test('below the asked multiple proves a lower bound of failed requests, but not an upper bound', () => {
    const less = cell({ overload: { ...overload, answered: 20, refused: 0, failed: 500, completed: 2 } });
    const of = (bound: Partial<ExperimentClaim>) =>
      judgeClaims([{ ...claim({ measure: 'otherwise', mayFail: true, ...bound }), of: {} }], [less])[0]!.verdict;
    expect(of({ atLeast: 0.9 })).toBe('holds');
    expect(of({ atMost: 0.99 })).toBe('INCONCLUSIVE');
  });

  test('that is measured twice counts with the mean of its runs', () => {
    const digest = 'the same question';
    const runs = (...completed: number[]) =>
      completed.map((rate, i) =>
        cell({ ...(i > 0 && { part: 'again' }), digest, overload: { ...overload, answered: 200, completed: rate } }),
      );
    expect(goodput(runs(17, 18)).verdict).toBe('fails');
    expect(goodput(runs(17, 20))).toMatchObject({ verdict: 'holds', value: 0.925 });
    // With another digest they are different cells, and each must hold.
    expect(goodput([...runs(19), cell({ overload: { ...overload, completed: 17 } })]).verdict).toBe('fails');
  });

  test('after which n8n never returned to normal fails every bound of the recovery time', () => {
    const back = (atMost: number, ...seconds: (number | undefined)[]) =>
      judgeClaims(
        [{ ...claim({ measure: 'back', atMost, mayFail: true }), of: {} }],
        seconds.map((backSeconds, i) =>
          cell({ digest: `${i}`, overload: { ...overload, completed: 18, ...(backSeconds && { backSeconds }) } }),
        ),
      )[0]!;
    expect(back(10, 3, 4)).toMatchObject({ verdict: 'holds', value: 4 });
    expect(back(10, 3, 11)).toMatchObject({ verdict: 'fails', value: 11 });
    for (const seconds of [[3, undefined], [undefined, 11], [undefined]])
      expect(back(10, ...seconds)).toMatchObject({ verdict: 'fails', measured: 'not within 20 s' });
  });
});
