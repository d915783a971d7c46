import type { TrialRecord } from '../../../capacity/src/model/tune.js';
import { judgeTune } from '../../../capacity/src/tune/judge.js';
import { changeOf, simulate, tuneRecord, type Truth } from './trials.js';

const CHANGES = Array.from({ length: 15 }, (_, i) => changeOf(`s${i}`));

/** The judgement of a whole run on an n8n whose truth is known. */
function judged(truth: Truth, seed = 1, changes = CHANGES) {
  const record = tuneRecord(changes);
  return judgeTune(record, simulate(record, truth, seed));
}

test('a change that gives a third more is found and confirmed, one that takes a fifth is not chosen', () => {
  const { outcome, chosen, effects, gain } = judged({ throughput: { s3: 1.33, s9: 0.8 } });
  expect(outcome).toBe('confirmed');
  expect(chosen).toContain('s3');
  expect(chosen).not.toContain('s9');
  expect(effects.find((e) => e.change.id === 's9')!.finding).toBe('less');
  expect(gain!.throughput.least).toBeLessThan(1.33);
  expect(gain!.throughput.most).toBeGreaterThan(1.33);
});

test('where nothing helps, better values are confirmed in fewer than 1 of 20 runs', () => {
  const outcomes = Array.from({ length: 100 }, (_, seed) => judged({}, seed).outcome);
  expect(outcomes.filter((o) => o === 'confirmed').length).toBeLessThan(5);
});

test('without noise, what does nothing is said to have no effect', () => {
  const { outcome, effects } = judged({ noise: 0.005 });
  expect(outcome).toBe('nothing');
  expect(effects.every((e) => e.finding !== 'open')).toBe(true);
});

test('a change with which n8n dies is named, and the others are still told', () => {
  const { effects, chosen } = judged({ throughput: { s3: 1.5 }, dies: 's7', noise: 0.01 });
  expect(effects.find((e) => e.change.id === 's7')).toMatchObject({
    finding: 'fails',
    failed: expect.stringContaining('OOMKilled') as string,
  });
  expect(effects.filter((e) => e.finding === 'fails')).toHaveLength(1);
  expect(chosen).toContain('s3');
});

test('of two values of one setting, the better one is chosen', () => {
  const changes = [changeOf('low', 'pool'), changeOf('high', 'pool'), ...CHANGES.slice(0, 5)];
  const { chosen } = judged({ throughput: { low: 1.2, high: 1.6 }, noise: 0.01 }, 1, changes);
  expect(chosen).toContain('high');
  expect(chosen).not.toContain('low');
});

test('memory that a change takes is told apart from throughput', () => {
  const { effects } = judged({ memory: { s2: 1.4 }, noise: 0.02 });
  const { throughput, memory } = effects.find((e) => e.change.id === 's2')!;
  expect(memory!.least).toBeGreaterThan(1.2);
  expect(throughput!.least).toBeLessThan(1);
});

test('the answer is open until all trials are measured', () => {
  const record = tuneRecord(CHANGES);
  const all = simulate(record, { throughput: { s3: 1.5 }, noise: 0.01 });
  const screening = all.filter(({ stage }) => stage === 'screening');
  expect(all.length - screening.length).toBe(8);
  expect(judgeTune(record, [])).toMatchObject({ outcome: 'open', chosen: [] });
  expect(judgeTune(record, screening.slice(0, 12))).toMatchObject({ outcome: 'open', chosen: [] });
  expect(judgeTune(record, screening)).toMatchObject({ outcome: 'open', chosen: ['s3'] });
  expect(judgeTune(record, all.slice(0, -1))).toMatchObject({ outcome: 'open', trials: { left: 1 } });
  expect(judgeTune(record, all)).toMatchObject({ outcome: 'confirmed', trials: { left: 0 } });
});

test('better values with which n8n dies are not confirmed', () => {
  const record = tuneRecord(CHANGES);
  const all = simulate(record, { throughput: { s3: 1.5 }, noise: 0.01 });
  const died = (t: TrialRecord): TrialRecord =>
    t.stage === 'confirmation' && t.changes.length > 0 ? { ...t, failed: 'main died (OOMKilled)' } : t;
  expect(judgeTune(record, all.map(died))).toMatchObject({
    outcome: 'nothing',
    answer: expect.stringContaining('OOMKilled') as string,
  });
});

test('a confirmation that neither shows nor excludes a gain leaves it open', () => {
  const record = tuneRecord(CHANGES);
  const all = simulate(record, { throughput: { s3: 1.5 }, noise: 0.01 });
  const noisy = all.map((t, i) => (t.stage === 'confirmation' ? { ...t, perSecond: i % 3 === 0 ? 40 : 90 } : t));
  expect(judgeTune(record, noisy)).toMatchObject({ outcome: 'open' });
});

test('a disturbed trial is no failure of the changes that it had', () => {
  const record = tuneRecord(CHANGES);
  const all = simulate(record, { throughput: { s3: 1.5 }, noise: 0.01 });
  const disturbed = all.map((t, i): TrialRecord => {
    if (i !== 2 && !(t.stage === 'confirmation' && t.row === 1)) return t;
    const { perSecond: _, ...rest } = t;
    return { ...rest, disturbed: 'other processes took the cores' };
  });
  const { outcome, effects } = judgeTune(record, disturbed);
  expect(outcome).toBe('confirmed');
  expect(effects.every((e) => e.finding !== 'fails')).toBe(true);
});

test('an n8n that never works gives no answer', () => {
  const record = tuneRecord(CHANGES);
  const failed = simulate(record, {}).map(({ perSecond: _, ...t }): TrialRecord => ({
    ...t,
    failed: 'main is not ready',
  }));
  expect(
    judgeTune(
      record,
      failed.filter(({ stage }) => stage === 'screening'),
    ),
  ).toMatchObject({ outcome: 'open', chosen: [] });
});
