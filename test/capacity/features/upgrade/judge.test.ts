import { judgeUpgrade, describeLoss } from '../../../../capacity/src/features/upgrade/judge.js';
import { simulate, upgradeRecord } from './trials.js';

const RECORD = upgradeRecord();
const KEPT = { before: { execution_entity: 2020 }, after: { execution_entity: 2021 }, seconds: 9 };

/** The findings by quantity. */
const findings = (...args: Parameters<typeof judgeUpgrade>) =>
  Object.fromEntries(judgeUpgrade(...args).comparisons.map(({ quantity, finding }) => [quantity, finding]));

test('what a version does better or worse is found, whatever the machine does meanwhile', () => {
  const trials = simulate(RECORD, { throughput: 0.3, p95: 2, memory: 0.8, start: 1 });
  expect(findings(RECORD, trials, KEPT)).toEqual({
    throughput: 'worse',
    p95: 'worse',
    memory: 'better',
    start: 'same',
  });
  const { outcome, answer } = judgeUpgrade(RECORD, trials, KEPT);
  expect(outcome).toBe('worse');
  expect(answer).toMatch(/^n8n 2\.41\.1 against 2\.34\.0: throughput −\d+ %/);
});

test('versions that do the same are a tie', () => {
  const { outcome, trials, rate } = judgeUpgrade(RECORD, simulate(RECORD, { noise: 0.005 }), KEPT);
  expect(outcome).toBe('same');
  expect(trials).toEqual({ measured: 12, left: 0 });
  expect(rate).toBeGreaterThan(25);
});

test('a faster version is better', () => {
  expect(judgeUpgrade(RECORD, simulate(RECORD, { throughput: 1.3 }), KEPT).outcome).toBe('better');
});

test('among a hundred pairs of equal versions, few are called different in throughput', () => {
  const wrong = Array.from({ length: 100 }, (_, i) => simulate(RECORD, { noise: 0.06 }, i + 1)).filter((trials) =>
    ['better', 'worse'].includes(findings(RECORD, trials).throughput!),
  );
  expect(wrong.length).toBeLessThanOrEqual(10);
});

test('where the noise hides the throughput, nothing is decided', () => {
  const { outcome } = judgeUpgrade(RECORD, simulate(RECORD, { noise: 0.3 }, 4), KEPT);
  expect(outcome).toBe('open');
});

test('a version that does not work twice is worse, and is not tried again', () => {
  const trials = simulate(RECORD, { dies: 'to' });
  expect(trials.filter((t) => t.side === 'to')).toHaveLength(2);
  expect(judgeUpgrade(RECORD, trials, KEPT)).toMatchObject({
    outcome: 'worse',
    answer: 'n8n 2.41.1 does not work: main is not ready after 180 s',
    trials: { left: 0 },
  });
});

test('where neither version works, the new one is not worse', () => {
  const failed = 'memory above 90 % of its limit';
  const trials = simulate(RECORD, { dies: 'to' }).map((t) => ({ ...t, failed }));
  expect(judgeUpgrade(RECORD, trials, KEPT)).toMatchObject({
    outcome: 'open',
    answer: 'neither version works here: memory above 90 % of its limit',
  });
});

test('an in-place upgrade that failed once of twice is named, and leaves it open', () => {
  const trials = simulate(RECORD, {});
  const failedOnce = 'main is not ready after 180 s';
  expect(judgeUpgrade(RECORD, trials, KEPT).outcome).toBe('same');
  expect(judgeUpgrade(RECORD, trials, { ...KEPT, failedOnce })).toMatchObject({
    outcome: 'open',
    answer: expect.stringContaining(failedOnce),
  });
});

test('an old version that does not work says nothing of the new one', () => {
  expect(judgeUpgrade(RECORD, simulate(RECORD, { dies: 'from' }), KEPT)).toMatchObject({ outcome: 'open' });
});

test('one deployment of the new version that failed is named, and leaves it open', () => {
  const trials = simulate(RECORD, { throughput: 1.3 });
  const { perSecond: _, p95: __, ...without } = trials[1]!;
  const { outcome, answer } = judgeUpgrade(
    RECORD,
    trials.with(1, { ...without, failed: 'main died (OOMKilled)' }),
    KEPT,
  );
  expect(outcome).toBe('open');
  expect(answer).toMatch(/one deployment of 2\.41\.1 failed: main died \(OOMKilled\)/);
});

test('a latency that was disturbed in every trial is not decided', () => {
  const trials = simulate(RECORD, { noise: 0.005 }).map((t) =>
    t.stage === 'latency' ? { ...t, disturbed: 'k6 was late' } : t,
  );
  const { outcome, answer } = judgeUpgrade(RECORD, trials, KEPT);
  expect(outcome).toBe('open');
  expect(answer).toBe('n8n 2.41.1 against 2.34.0: not decided: p95 at the same rate');
});

test('a tie in throughput with a latency that is not decided is no tie', () => {
  const trials = simulate(RECORD, { noise: 0.005 }).map((t, i) => ({ ...t, p95: 0.1 * (1 + (i % 5)) }));
  expect(judgeUpgrade(RECORD, trials, KEPT)).toMatchObject({
    outcome: 'open',
    answer: expect.stringMatching(/not decided: p95 at the same rate/),
  });
});

test('a gain with a latency that is not decided is not better', () => {
  const trials = simulate(RECORD, { throughput: 1.3 });
  const disturbed = trials.map((t) => (t.stage === 'latency' ? { ...t, disturbed: 'k6 was late' } : t));
  const spread = trials.map((t, i) => ({ ...t, p95: 0.1 * (1 + (i % 5)) }));
  for (const each of [disturbed, spread]) expect(judgeUpgrade(RECORD, each, KEPT)).toMatchObject({ outcome: 'open' });
  expect(judgeUpgrade(RECORD, trials, KEPT)).toMatchObject({ outcome: 'better' });
});

test('a difference that is sure, but may be too small to count, is not decided', () => {
  const found = Array.from({ length: 20 }, (_, i) => simulate(RECORD, { throughput: 0.97, noise: 0.004 }, i + 1)).map(
    (trials) => findings(RECORD, trials).throughput,
  );
  expect(found).not.toContain('worse');
});

test('lost executions are worse, however fast the version is', () => {
  const survival = { before: { execution_entity: 2020, execution_data: 2020 }, after: { execution_entity: 2020 } };
  expect(judgeUpgrade(RECORD, simulate(RECORD, { throughput: 1.3 }), survival)).toMatchObject({
    outcome: 'worse',
    answer: 'after an in-place upgrade, 2020 of 2020 rows of execution_data are lost',
  });
});

test('an upgrade that was not tried loses nothing that is known', () => {
  expect(describeLoss({ skipped: 'an upgrade in place is not tried on kubernetes' })).toBeUndefined();
  expect(describeLoss({ failed: 'main is not ready' })).toBe('main is not ready');
  expect(describeLoss(KEPT)).toBeUndefined();
});

test('an interrupted comparison is open', () => {
  const trials = simulate(RECORD, { throughput: 1.3 }).slice(0, 5);
  expect(judgeUpgrade(RECORD, trials, KEPT)).toMatchObject({ outcome: 'open', trials: { measured: 5, left: 7 } });
});

test('an old version that does not work says nothing of the new one', () => {
  const of = (side: 'from' | 'to') => judgeUpgrade(RECORD, [], { failed: 'main is not ready', side }).outcome;
  expect(of('from')).toBe('open');
  expect(of('to')).toBe('worse');
});

test('of equal versions, fewer than 1 in 20 is called worse', () => {
  const outcomes = Array.from({ length: 200 }, (_, i) =>
    judgeUpgrade(RECORD, simulate(RECORD, { noise: 0.06 }, i + 1), KEPT),
  );
  expect(outcomes.filter(({ outcome }) => outcome === 'worse').length).toBeLessThan(10);
});
