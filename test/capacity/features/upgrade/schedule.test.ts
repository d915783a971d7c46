import { latencyRate, openTrials } from '../../../../capacity/src/features/upgrade/schedule.js';
import { simulate, upgradeRecord } from './trials.js';

const RECORD = upgradeRecord();

test('both versions by turns, in changing order, the throughput first', () => {
  const trials = simulate(RECORD, {});
  expect(trials.slice(0, 6).map(({ side }) => side)).toEqual(['from', 'to', 'to', 'from', 'from', 'to']);
  expect(trials.map(({ stage }) => stage)).toEqual([
    ...Array<string>(6).fill('throughput'),
    ...Array<string>(6).fill('latency'),
  ]);
});

test('the latency is compared at one rate that the slower version takes easily', () => {
  const trials = simulate(RECORD, { throughput: 0.2 });
  const rates = new Set(trials.flatMap(({ rate }) => rate ?? []));
  expect([...rates]).toHaveLength(1);
  expect([...rates][0]).toBeLessThan(0.6 * 12);
});

test('a resumed comparison keeps its rate and goes on where it was', () => {
  const trials = simulate(RECORD, {});
  const some = trials.slice(0, 8);
  expect(openTrials(RECORD, some)).toHaveLength(4);
  expect(latencyRate(some)).toBe(latencyRate(trials));
});

test('no rate is known before both versions have a throughput', () => {
  expect(latencyRate(simulate(RECORD, {}).slice(0, 1))).toBeUndefined();
});

test('trials that are left out are measured again, of the version that they had', () => {
  const trials = simulate(RECORD, {});
  const lost = [1, 2, 9];
  const again = openTrials(
    RECORD,
    trials.filter((_, i) => !lost.includes(i)),
  );
  expect(again.map(({ stage, side }) => [stage, side])).toEqual(lost.map((i) => [trials[i]!.stage, trials[i]!.side]));
});
