import type { SweepOutcome, SweepCandidate, SweepRecord } from '../../../../capacity/src/features/sweep/record.js';
import { judgeSweep } from '../../../../capacity/src/features/sweep/conclude.js';
import { buildPlan } from '../../support/index.js';

const candidate = (workers: number): SweepCandidate => ({
  id: `${workers}-workers`,
  values: { workers },
  amounts: { workers },
  kind: '[]',
  cost: { cores: workers, memoryGib: workers, perHour: workers / 10, unlimited: [] },
});
const record = (changes: Partial<SweepRecord> = {}): SweepRecord => ({
  tool: 'n8n-capacity sweep',
  startedAt: '2026-11-20T12:00:00.000Z',
  plan: {
    name: 'workers',
    dimensions: { workers: [1, 2, 3] },
    explore: 'front',
    holdSeconds: 60,
    prices: { cpuHour: 0.03, memoryGibHour: 0.004, currency: 'USD' },
    measure: buildPlan(),
  },
  conditions: { values: 'a', n8n: ['2.41.1'], machine: '2 × any' },
  candidates: [1, 2, 3].map(candidate),
  excluded: [],
  ...changes,
});
const outcome = (workers: number, capacity: number, changes: Partial<SweepOutcome> = {}): SweepOutcome => ({
  id: `${workers}-workers`,
  purpose: 'measure',
  verdict: capacity > 0 ? 'PASS' : 'FAIL',
  capacity,
  conclusion: `sustains ${capacity}/s`,
  loadSeconds: 60,
  seconds: 90,
  ...changes,
});
const hold = (workers: number, capacity: number) => outcome(workers, capacity, { purpose: 'hold' });
const target = { target: 20 };
const statuses = (rows: { id: string; status: string }[]) => Object.fromEntries(rows.map((r) => [r.id[0], r.status]));

test('a configuration that failed sustains no rate, whatever held before', () => {
  const loses = outcome(1, 20, { verdict: 'FAIL', conclusion: 'loses executions at 40/s' });
  const { rows } = judgeSweep(record(), [loses, outcome(2, 20), outcome(3, 30)]);
  expect(rows[0]).toMatchObject({ status: 'measured', text: 'loses executions at 40/s' });
  expect(rows[0]).not.toHaveProperty('capacity');
  expect(rows[0]).not.toHaveProperty('perMillion');
});

describe('with a target', () => {
  test('while a cheaper one is INCONCLUSIVE, the cheapest is not known', () => {
    const unclear = outcome(1, 0, { verdict: 'INCONCLUSIVE' });
    const verdict = judgeSweep(record(target), [unclear, outcome(2, 20), hold(2, 20)]);
    expect(verdict).toMatchObject({ verdict: 'INCONCLUSIVE', answer: expect.stringContaining('1 cheaper') });
    const dearer = outcome(3, 0, { verdict: 'INCONCLUSIVE' });
    expect(judgeSweep(record(target), [outcome(1, 0), outcome(2, 20), hold(2, 20), dearer]).verdict).toBe('PASS');
  });

  test('the cheapest that meets it, once it has held for longer', () => {
    const verdict = judgeSweep(record(target), [outcome(2, 20), outcome(1, 0), hold(2, 20)]);
    expect(verdict).toMatchObject({
      verdict: 'PASS',
      cheapestId: '2-workers',
    });
    for (const fact of ['workers 2', '20/s', '2 cores, 2 GiB']) expect(verdict.answer).toContain(fact);
    expect(statuses(verdict.rows)).toEqual({ 1: 'misses', 2: 'meets', 3: 'ruled-out' });
    expect(verdict.rows[2]!.text).toContain('2-workers');
  });

  test('nothing is recommended before its hold, and one that fails takes the promise back', () => {
    const before = judgeSweep(record(target), [outcome(2, 20), outcome(1, 0)]);
    expect(before).toMatchObject({ verdict: 'INCONCLUSIVE', answer: expect.stringContaining('longer than a step') });
    expect(before.cheapestId).toBeUndefined();
    const after = judgeSweep(record(target), [outcome(2, 20), outcome(1, 0), hold(2, 0)]);
    expect(statuses(after.rows)).toEqual({ 1: 'misses', 2: 'misses', 3: 'open' });
    expect(after.verdict).toBe('INCONCLUSIVE');
  });

  test('none meets it', () => {
    const verdict = judgeSweep(record(target), [outcome(3, 0)]);
    expect(verdict.verdict).toBe('FAIL');
    for (const fact of ['3 configurations', '20/s']) expect(verdict.answer).toContain(fact);
    expect(statuses(verdict.rows)).toEqual({ 1: 'ruled-out', 2: 'ruled-out', 3: 'misses' });
  });

  test('what could not be judged is neither', () => {
    const verdict = judgeSweep(record(target), [outcome(3, 0, { verdict: 'INCONCLUSIVE' })]);
    expect(verdict).toMatchObject({
      verdict: 'INCONCLUSIVE',
      answer: expect.stringContaining('1 inconclusive'),
    });
  });
});

describe('without a target', () => {
  test('what takes most, what costs least, and the front', () => {
    const outcomes = [outcome(1, 8), outcome(2, 10), outcome(3, 0, { challenge: 10.5 })];
    const verdict = judgeSweep(record(), outcomes);
    expect(verdict.verdict).toBe('PASS');
    for (const fact of ['workers 2 (10/s)', 'workers 1 (8/s)']) expect(verdict.answer).toContain(fact);
    expect(verdict.rows.map((r) => [r.status, r.onFront])).toEqual([
      ['measured', true],
      ['measured', true],
      ['dominated', false],
    ]);
    // 0.1 an hour ÷ (8/s × 3600 s) × 10⁶
    expect(verdict.rows[0]!.perMillion).toBeCloseTo(3.472, 3);
  });

  test('a tie goes to the cheaper, and how much is a tie was measured or is said by the plan', () => {
    const outcomes = [outcome(1, 10), outcome(2, 10.8)];
    const onFront = (...args: Parameters<typeof judgeSweep>) =>
      judgeSweep(...args)
        .rows.filter((r) => r.onFront)
        .map((r) => r.id);
    expect(onFront(record(), outcomes)).toEqual(['1-workers', '2-workers']);
    expect(onFront(record(), outcomes, { runs: 5, rate: 0.09 })).toEqual(['1-workers']);
    const planned = record();
    planned.plan.noise = { band: 0.09 };
    expect(onFront(planned, outcomes)).toEqual(['1-workers']);
  });

  test('runs for the noise are no measurement of their configuration', () => {
    const again = outcome(1, 12, { purpose: 'noise', conclusion: 'of the noise' });
    expect(judgeSweep(record(), [outcome(1, 8), again]).rows[0]).toMatchObject({ capacity: 8, text: 'sustains 8/s' });
  });

  test('clients in a closed loop: what they got answered within the SLO', () => {
    const closed = record();
    closed.plan.measure = buildPlan({ rates: { kind: 'closed', clients: 8 } });
    const verdict = judgeSweep(closed, [outcome(1, 95), outcome(2, 0), outcome(3, 90)]);
    expect(verdict.verdict).toBe('PASS');
    for (const fact of ['workers 1', '95/s', '8 clients']) expect(verdict.answer).toContain(fact);
    expect(
      judgeSweep(
        closed,
        [1, 2, 3].map((workers) => outcome(workers, 0)),
      ),
    ).toMatchObject({
      verdict: 'FAIL',
      answer: expect.stringContaining('8 clients'),
    });
  });

  test('excluded ones stand among the rest with their reason', () => {
    const REFUSED = 'the chart refuses these values';
    const excluded = [{ id: '0-workers', values: { workers: 0 }, reason: REFUSED }];
    expect(judgeSweep(record({ excluded }), []).rows[0]).toMatchObject({
      status: 'excluded',
      text: REFUSED,
    });
  });
});
